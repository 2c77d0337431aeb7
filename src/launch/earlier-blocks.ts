import type { BlockRecord } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import { formatCount } from '../render/format.ts';
import type { Store } from '../state/store.ts';

/**
 * One line for each earlier block that was started from here (the same directory, or the same session) and has ended or
 * lost its wrapper while processes of it still run. Looks only at what costs little: groups and recorded identities.
 */
export async function findEarlierBlocks(own: BlockRecord, store: Store, platform: Platform): Promise<string[]> {
  const [{ openTracker }, { isEnclosed }] = await Promise.all([
    import('../trackers/select.ts'),
    import('../trackers/enclosures.ts'),
  ]);
  const host = platform.host();
  const run = own.runs.at(-1);
  const isFromHere = (block: BlockRecord): boolean => {
    const last = block.runs.at(-1);
    if (run === undefined || last === undefined || block.id === own.id || block.kind === 'terminal') return false;
    if (block.machineId !== host.machineId || last.wrapper.bootId !== host.bootId) return false;
    if (last.wrapper.pidNamespace !== host.pidNamespace || platform.isAlive(last.wrapper)) return false;
    const [session] = run.callerSids;
    return last.cwd === run.cwd || (session !== undefined && last.callerSids.includes(session));
  };
  const count = (block: BlockRecord): number => {
    if (isEnclosed(block)) return openTracker(block, { platform }).memberPids().length;
    const known = new Map(
      [...block.runs.flatMap((one) => (one.root === undefined ? [] : [one.root])), ...store.recorded(block.id)].map(
        ({ pid, startTicks, bootId }) => [`${pid}:${startTicks}`, { pid, startTicks, bootId }],
      ),
    );
    return [...known.values()].filter((one) => platform.isAlive({ ...one, pidNamespace: host.pidNamespace })).length;
  };
  return store
    .list()
    .blocks.filter(isFromHere)
    .flatMap((block) => {
      const alive = count(block);
      if (alive === 0) return [];
      const verb = alive === 1 ? 'runs' : 'run';
      return [
        `${formatCount(alive, 'process', 'processes')} of ${block.id} still ${verb}: agentmux ps --block ${block.id}`,
      ];
    });
}
