import { AgentmuxError } from '../errors.ts';
import type { KillWorld } from '../kill/transaction.ts';
import type { BlockRecord } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import type { Tracker } from '../trackers/tracker.ts';

export interface Freezer {
  /** Puts all of a block to sleep, or wakes it. Throws AgentmuxError where that cannot be. */
  freeze(blockId: string, frozen: boolean): { readonly text: string; readonly isWarning: boolean };
  /** Blocks that were frozen here and not thawed. */
  frozenBlocks(): readonly string[];
}

export interface FreezerDeps {
  readonly platform: Platform;
  readonly pid: number;
  records(): readonly BlockRecord[];
  openWorld(record: BlockRecord, records: readonly BlockRecord[]): KillWorld;
}

/** Freezes by what tracks the block: cgroup.freeze, else STOP and CONT to its members. */
export function createFreezer({ platform, pid, records, openWorld }: FreezerDeps): Freezer {
  // By scan a tracker knows whom it stopped, so that it wakes nobody whom others have put to sleep.
  const frozenBy = new Map<string, Tracker>();
  return {
    freeze(blockId, frozen) {
      const record = records().find(({ id }) => id === blockId);
      if (record === undefined) throw new AgentmuxError('notFound', `no block "${blockId}"`);
      const world = openWorld(record, records());
      const members = world.look();
      if (frozen && members.some((member) => member.pid === pid)) {
        throw new AgentmuxError('refused', `this view runs inside ${blockId} and would freeze with it`);
      }
      const tracker = frozenBy.get(blockId) ?? world.tracker;
      if (!tracker.setFrozen(frozen)) {
        throw new AgentmuxError('failed', `${blockId} cannot be ${frozen ? 'frozen' : 'thawed'} here`);
      }
      if (frozen) frozenBy.set(blockId, tracker);
      else if (!frozenBy.delete(blockId) && tracker.type === 'scan') wakeAll(platform, members);
      return {
        text: frozen ? `${blockId} is frozen: none of it runs until p thaws it` : `${blockId} runs again`,
        isWarning: false,
      };
    },
    frozenBlocks: () => [...frozenBy.keys()],
  };
}

/** Another view stopped them: it is asked for all the same. */
function wakeAll(platform: Platform, members: ReturnType<KillWorld['look']>): void {
  const { bootId, pidNamespace } = platform.host();
  for (const { pid, startTicks, stat } of members) {
    if (startTicks === undefined || stat?.state !== 'T') continue;
    platform.signal({ pid, startTicks, bootId, pidNamespace }, 'SIGCONT');
  }
}
