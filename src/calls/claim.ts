import type { HookRecord } from './hook-record.ts';
import type { ShellRecord } from './shell-record.ts';

/** What the records of hooks tell of a shell. */
export interface Claim {
  /** Undefined where the shell is one of two that each could have claimed the other's record. */
  readonly toolId: string | undefined;
  readonly command: string;
  readonly description: string | undefined;
  readonly background: boolean | undefined;
}

/**
 * Which record belongs to which shell. In the order in which the shells started, each claims the newest record of its
 * session with exactly its command that was there by then, each record being claimed once; a shell that finds none (a
 * hook of the user's rewrote the command) claims the only record of its session that is left. A denied call leaves a
 * record that nobody claims. Pure.
 */
export function claimRecords(
  hooks: readonly HookRecord[],
  shells: readonly ShellRecord[],
): ReadonlyMap<ShellRecord, Claim> {
  const records = [...oncePerCall(hooks)].sort((a, b) => a.atMs - b.atMs);
  const ordered = [...shells].sort((a, b) => a.atMs - b.atMs || (a.startTicks ?? 0) - (b.startTicks ?? 0));
  const free = new Set(records);
  const claimed = new Map<ShellRecord, HookRecord>();
  const claim = (shell: ShellRecord, record: HookRecord | undefined): void => {
    if (record === undefined) return;
    claimed.set(shell, record);
    free.delete(record);
  };
  const byCommand = groupBy(records, (record) => keyOf(record.sessionId, record.command));
  for (const shell of ordered) {
    if (shell.command === undefined) continue;
    const equal = byCommand.get(keyOf(shell.sessionId, shell.command)) ?? [];
    claim(
      shell,
      equal.findLast((record) => free.has(record) && record.atMs <= shell.atMs),
    );
  }
  for (const shell of ordered) {
    if (!claimed.has(shell)) claim(shell, onlyOne(free, shell));
  }
  return mergeEqual(claimed);
}

/** A hook that is wired twice tells of a call twice. */
function oncePerCall(hooks: readonly HookRecord[]): Iterable<HookRecord> {
  const first = new Map<string, HookRecord>();
  for (const hook of hooks) {
    const key = keyOf(hook.sessionId, hook.toolId);
    const known = first.get(key);
    if (known === undefined || hook.atMs < known.atMs) first.set(key, hook);
  }
  return first.values();
}

function onlyOne(free: ReadonlySet<HookRecord>, shell: ShellRecord): HookRecord | undefined {
  let found: HookRecord | undefined;
  for (const record of free) {
    if (record.sessionId !== shell.sessionId || record.atMs > shell.atMs) continue;
    if (found !== undefined) return undefined;
    found = record;
  }
  return found;
}

/**
 * Two shells of one command that both started when both records were there could have either: what the records agree on
 * holds for both, and nothing else is said.
 */
function mergeEqual(claimed: ReadonlyMap<ShellRecord, HookRecord>): ReadonlyMap<ShellRecord, Claim> {
  const groups = groupBy([...claimed], ([, record]) => keyOf(record.sessionId, record.command));
  const claims = new Map<ShellRecord, Claim>();
  for (const pairs of groups.values()) {
    for (const pair of pairs) {
      const [shell, record] = pair;
      const others = pairs.filter((other) => other !== pair && isExchangeable(pair, other)).map(([, other]) => other);
      claims.set(shell, others.length === 0 ? record : commonOf(record, others));
    }
  }
  return claims;
}

type Pair = readonly [shell: ShellRecord, record: HookRecord];

function isExchangeable([shell, record]: Pair, [otherShell, otherRecord]: Pair): boolean {
  return record.atMs <= otherShell.atMs && otherRecord.atMs <= shell.atMs;
}

function commonOf(record: HookRecord, others: readonly HookRecord[]): Claim {
  const isShared = (name: 'description' | 'background') => others.every((other) => other[name] === record[name]);
  return {
    toolId: undefined,
    command: record.command,
    description: isShared('description') ? record.description : undefined,
    background: isShared('background') ? record.background : undefined,
  };
}

function keyOf(sessionId: string | undefined, text: string): string {
  return `${sessionId ?? ''}\0${text}`;
}

function groupBy<T>(values: readonly T[], keyOfValue: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) {
    const key = keyOfValue(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
