import { scriptOf } from '../annotate/entry-name.ts';
import { buildEntryRows, foldEntries } from '../annotate/entry-rows.ts';
import { findHandOvers } from '../annotate/hand-overs.ts';
import { buildRows } from '../annotate/rows.ts';
import { readEntries, settleEntries } from '../calls/entries-reader.ts';
import type { Platform } from '../platform/platform.ts';
import type { MemberView } from '../trackers/inspect.ts';
import { type EndBlockOptions, isTagOnly, openKept } from './end-block.ts';
import type { Leftover, Leftovers } from './leftovers-text.ts';
import type { RunBlock } from './run-block.ts';
import type { LaunchWorld } from './world.ts';

/** What outlived the agent, in entries, the rest by process. */
export async function readLeftovers(
  options: EndBlockOptions & { readonly world: LaunchWorld },
  members: readonly MemberView[],
): Promise<Leftovers> {
  const { block, platform, world } = options;
  const { record } = block;
  const pids = members.map((member) => member.pid);
  const listeners = platform.readListeners(pids);
  const own = members.filter((member) => !isTagOnly(member));
  const portsOf = (pid: number) => listeners.byPid.get(pid)?.map(({ port }) => port) ?? [];
  const deps = { platform, store: block.store, now: () => world.now(), portsOf };
  const { entries, entryOf } = await settleEntries({ record, members: own }, deps);
  const details = new Map(pids.map((pid) => [pid, platform.readDetails(pid, { argv: true, exe: true, status: true })]));
  const kept = (await openKept(options))(members);
  const rows = buildEntryRows({
    blockId: record.id,
    entries: entries.filter(({ status }) => status === 'running'),
    nowMs: world.now(),
    redact: true,
    memoryOf: (pid) => details.get(pid)?.privateBytes,
    kept,
  });
  const processes = buildRows({
    blockId: record.id,
    members,
    details,
    listeners,
    nowMs: world.now(),
    startedAtMs: (ticks) => platform.startedAtMs(ticks),
    redact: true,
  });
  const others = processes.flatMap((row, i): Leftover[] => {
    const member = members[i];
    if (member === undefined || entryOf.has(row.pid) || kept.has(row.pid)) return [];
    const ports = [...new Set(row.listeners?.map(({ port }) => port))].sort((a, b) => a - b);
    const { pid, ageMs, privateBytes, command = '', note } = row;
    return [{ pid, ageMs, ports, memoryBytes: privateBytes, command, note, isTagOnly: isTagOnly(member) }];
  });
  return {
    blockId: record.id,
    entries: foldEntries(rows.filter((row) => !row.kept)),
    kept: foldEntries(rows.filter((row) => row.kept)),
    others,
    stdout: options.starter.findStreamHolders(1, pids),
    stderr: options.starter.findStreamHolders(2, pids),
    logout: await findLogoutTrap(block),
  };
}

/** Programs that hand work to others, in the calls of the block and in what its own shell was told to run. */
export function findRunHandOvers(block: RunBlock, platform: Platform, world: LaunchWorld): string[] {
  const { record, run, store } = block;
  const { commands } = readEntries({ record, members: [] }, { platform, store, now: () => world.now() });
  const script = scriptOf({ exe: undefined, argv: run.argv, comm: undefined });
  const texts = script === undefined ? commands : [script, ...commands];
  return [...new Set(texts.flatMap((text) => findHandOvers(text)))];
}

/** In a scope of the user's manager processes die some 10 s after the last logout, unless the user lingers. */
async function findLogoutTrap({ record }: RunBlock): Promise<string | undefined> {
  if (record.tracker.scope === undefined) return undefined;
  const [{ existsSync }, { userInfo }] = await Promise.all([import('node:fs'), import('node:os')]);
  if (existsSync(`/var/lib/systemd/linger/${userInfo().username}`)) return undefined;
  return 'they end some seconds after your last logout; to let them live: loginctl enable-linger';
}
