import type { Entry } from '../model/entry.ts';
import type { CallLabel } from '../model/row.ts';
import { createLabeller } from './call-label.ts';
import { redactText } from './redact.ts';
import { sum } from './totals.ts';

/** One entry as listings show it and as their JSON documents it; undefined is unknown. All texts are untrusted. */
export interface EntryRow {
  readonly blockId: string;
  readonly id: string;
  readonly source: Entry['source'];
  readonly status: Entry['status'];
  readonly command: string;
  readonly name: string;
  readonly taskId: string | undefined;
  readonly pid: number | undefined;
  readonly pgid: number | undefined;
  readonly ports: readonly number[];
  readonly startedAtMs: number | undefined;
  readonly endedAtMs: number | undefined;
  /** Until it exited, or so far. */
  readonly uptimeMs: number | undefined;
  /** Live processes, oldest first. */
  readonly pids: readonly number[];
  /** Memory of its own of all of them. */
  readonly privateBytes: number | undefined;
  readonly label: CallLabel | undefined;
  /** True if it is not ended with its block. */
  readonly kept: boolean;
  /** What the user wrote when keeping it, or the pattern of the configuration that keeps it. */
  readonly note: string | undefined;
  readonly redacted: boolean;
}

export interface EntryRowsInput {
  readonly blockId: string;
  readonly entries: readonly Entry[];
  readonly nowMs: number;
  readonly redact: boolean;
  /** Memory of its own of a process. */
  memoryOf(pid: number): number | undefined;
  /** By pid: what is kept, and why. */
  readonly kept: ReadonlyMap<number, { readonly note: string | undefined }>;
}

/** One row an entry, in their order. */
export function buildEntryRows(input: EntryRowsInput): EntryRow[] {
  const labelOf = createLabeller(input.redact);
  const shown = (text: string) => (input.redact ? redactText(text) : { text, redacted: false });
  return input.entries.map((entry) => {
    const { id, source, status, taskId, pid, pgid, ports, startedAtMs, endedAtMs, pids } = entry;
    const { label, redacted } = labelOf(entry.call);
    const [command, name] = [shown(entry.command), shown(entry.name)];
    const keptPid = pids.find((one) => input.kept.has(one));
    const end = status === 'running' ? input.nowMs : endedAtMs;
    return {
      ...{ blockId: input.blockId, id, source, status, command: command.text, name: name.text, taskId, pid, pgid },
      ...{ ports, startedAtMs, endedAtMs },
      uptimeMs: end === undefined || startedAtMs === undefined ? undefined : Math.max(0, end - startedAtMs),
      pids,
      privateBytes: status === 'exited' ? undefined : sum(pids.map(input.memoryOf)),
      label,
      kept: keptPid !== undefined,
      note: keptPid === undefined ? undefined : input.kept.get(keptPid)?.note,
      redacted: redacted || command.redacted || name.redacted,
    };
  });
}

/** Equal entries shown as one. */
export interface FoldedEntry {
  /** The oldest of them. */
  readonly row: EntryRow;
  readonly rows: readonly EntryRow[];
}

/** Folds entries that look the same: same block, source, status and command, no port, not kept. Keeps their order. */
export function foldEntries(rows: readonly EntryRow[]): FoldedEntry[] {
  const groups = new Map<string, EntryRow[]>();
  for (const row of rows) {
    const { blockId, source, status, command, name, label, ports, kept, id } = row;
    const own = ports.length > 0 || kept ? id : '';
    const key = JSON.stringify([blockId, source, status, command, name, label?.description, own]);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].flatMap((all) => (all[0] === undefined ? [] : [{ row: all[0], rows: all }]));
}

/** Ids of entries in few words: `p1`, `p1-p3`, `p1,p4-p6`. */
export function formatIds(ids: readonly string[]): string {
  const numbers = ids.map((id) => Number(id.slice(1))).sort((a, b) => a - b);
  const parts: { from: number; to: number }[] = [];
  for (const number of numbers) {
    const last = parts.at(-1);
    if (last !== undefined && last.to + 1 === number) last.to = number;
    else parts.push({ from: number, to: number });
  }
  return parts.map(({ from, to }) => (from === to ? `p${from}` : `p${from}-p${to}`)).join(',');
}
