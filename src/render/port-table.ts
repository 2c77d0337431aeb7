import type { PortRow } from '../annotate/ports.ts';
import { createFilter } from '../filter/query.ts';
import { createSort } from '../filter/sort.ts';
import { formatAge, UNKNOWN } from './format.ts';
import type { Column } from './table.ts';

/** What stands for an owner that we may not see; never a guess. */
const UNSEEN = '?';

/** The columns of `ports`; those that say nothing in any row are left out. */
export function portColumns(rows: readonly PortRow[]): Column<PortRow>[] {
  return [
    { header: 'PORT', align: 'right', text: (row) => String(row.port), style: () => 'green' },
    { header: 'PROTO', yields: 1, text: (row) => row.protocol },
    { header: 'ADDRESS', yields: 3, text: (row) => row.address },
    { header: 'PID', align: 'right', text: (row) => String(row.pid ?? UNSEEN), style: () => 'bold' },
    { header: 'BLOCK', text: (row) => row.blockId ?? UNKNOWN, style: () => 'cyan' },
    ...(rows.some(({ entry }) => entry !== undefined) ? [ENTRY] : []),
    { header: 'AGE', align: 'right', yields: 2, text: (row) => formatAge(row.ageMs) },
    { header: 'DIRECTORY', yields: 4, text: (row) => row.cwd ?? UNKNOWN },
    ...(rows.some(({ worktree }) => worktree !== undefined) ? [BRANCH] : []),
    ...(rows.some((row) => describe(row) !== '') ? [NOTE] : []),
    { header: 'COMMAND', text: (row) => row.command ?? (row.pid === undefined ? UNSEEN : UNKNOWN) },
  ];
}

const ENTRY: Column<PortRow> = { header: 'ENTRY', yields: 7, text: (row) => row.entry ?? '', style: () => 'cyan' };
const BRANCH: Column<PortRow> = {
  header: 'BRANCH',
  yields: 6,
  text: ({ worktree }) => (worktree === undefined ? UNKNOWN : (worktree.branch ?? 'detached')),
};
const NOTE: Column<PortRow> = { header: 'NOTE', yields: 5, text: describe, style: () => 'yellow' };

function describe(row: PortRow): string {
  const notes = [];
  if (row.pid === undefined && row.uid !== undefined) notes.push(`of uid ${row.uid}`);
  if (row.otherNamespace) notes.push('in another network namespace');
  if (row.sharedWith.length > 0) notes.push(`shared with ${row.sharedWith.join(', ')}`);
  return notes.join(', ');
}

/** What `ports` can be filtered by. */
export const portFilter = createFilter<PortRow>({
  exact: {
    port: (row) => row.port,
    protocol: (row) => row.protocol,
    address: (row) => row.address,
    pid: (row) => [row.pid, ...row.sharedWith],
    uid: (row) => row.uid,
    block: (row) => row.blockId,
    agent: (row) => row.agent,
    role: (row) => row.role,
    entry: (row) => row.entry,
    branch: (row) => row.worktree?.branch,
  },
  part: { command: (row) => row.command, directory: (row) => row.cwd, worktree: (row) => row.worktree?.path },
  numbers: { age: (row) => row.ageMs },
});

/** What `ports` can be sorted by. */
export const portSort = createSort<PortRow>({
  port: (row) => row.port,
  address: (row) => row.address,
  pid: (row) => row.pid,
  block: (row) => row.blockId,
  agent: (row) => row.agent,
  age: (row) => row.ageMs,
  started: (row) => row.startedAtMs,
  directory: (row) => row.cwd,
  worktree: (row) => row.worktree?.path,
  command: (row) => row.command,
  uid: (row) => row.uid,
});
