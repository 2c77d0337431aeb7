import type { WatchBlock, WatchEntry, WatchRow } from '../render/screen-types.ts';
import { flattenRows } from './flat-rows.ts';
import type { Observation } from './observation.ts';

/** What a document says of the machine at one look; schema/watch.schema.json documents it. */
export interface WatchDocument {
  readonly atMs: number;
  readonly blocks: readonly object[];
  readonly rows: readonly object[];
  /** Undefined where entries are not known. */
  readonly entries: readonly object[] | undefined;
}

/** An observation as a document. With `all` every member, else what agents started. */
export function toDocument(observation: Observation, all: boolean): WatchDocument {
  const { atMs, blocks, entries } = observation;
  return {
    atMs,
    blocks: blocks.map(toJsonBlock),
    rows: flattenRows(observation, all).map(toJsonProcess),
    entries: entries && blocks.flatMap(({ id }) => (entries.get(id) ?? []).map((entry) => toJsonEntry(id, entry))),
  };
}

/** A block as documents and events tell it. */
export function toJsonBlock(block: WatchBlock): object {
  const { seenAtMs: _seen, goneAtMs: _gone, argv: _argv, ...fields } = block;
  return fields;
}

/** A process as documents and events tell it: a row of `ps` with what it used since the last look. */
export function toJsonProcess(row: WatchRow): object {
  const { seenAtMs: _seen, goneAtMs: _gone, ...fields } = row;
  return fields;
}

/** An entry as documents and events tell it. */
export function toJsonEntry(blockId: string, entry: WatchEntry): object {
  const { id, source, command, taskId, pid, pgid, ports, startedAtMs, endedAtMs, status } = entry;
  return { blockId, id, source, command, taskId, pid, pgid, ports, startedAtMs, endedAtMs, status };
}
