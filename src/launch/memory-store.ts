import type { BlockRecord } from '../model/block.ts';
import { type EntryBook, emptyBook, type KeptMark } from '../model/entry.ts';
import type { RecordedMember, RememberedMarks, Store } from '../state/store.ts';

/**
 * Stands in where no state directory can be had: the agent runs all the same and is tracked for this run, but other
 * commands cannot see it.
 */
export function createMemoryStore(): Store {
  const blocks = new Map<string, BlockRecord>();
  const recorded = new Map<string, RecordedMember[]>();
  const marks = new Map<string, RememberedMarks>();
  const books = new Map<string, EntryBook>();
  const kept = new Map<string, readonly KeptMark[]>();
  return {
    directory: '',
    list: () => ({ blocks: [...blocks.values()], unreadable: [] }),
    read: (id) => blocks.get(id),
    create(record) {
      if (blocks.has(record.id)) return false;
      blocks.set(record.id, record);
      return true;
    },
    write: (record) => void blocks.set(record.id, record),
    remove: (id) => void blocks.delete(id),
    record: (id, members) => void recorded.set(id, [...(recorded.get(id) ?? []), ...members]),
    recorded: (id) => recorded.get(id) ?? [],
    rememberMarks(id, { processes, bindings }) {
      const before = marks.get(id) ?? { processes: [], bindings: [] };
      marks.set(id, {
        processes: [...before.processes, ...processes],
        bindings: [...before.bindings, ...bindings],
      });
    },
    marks: (id) => marks.get(id) ?? { processes: [], bindings: [] },
    entries: (id) => books.get(id) ?? emptyBook,
    writeEntries: (id, book) => void books.set(id, book),
    kept: (id) => kept.get(id) ?? [],
    writeKept: (id, marks) => void kept.set(id, marks),
    lock: async () => ({ release: () => undefined }),
  };
}
