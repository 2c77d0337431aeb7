import type { Member } from '../model/block.ts';
import type { PriorityResult } from '../model/priority.ts';
import type { KillTreeOptions, Tracker } from './tracker.ts';

/**
 * A block's tracker together with those of child blocks whose enclosures lie elsewhere (a child in a scope of its own),
 * so that ending the parent ends the child. Speaks as the block's own tracker for all that concerns one process.
 */
export function joinTrackers(own: Tracker, children: readonly Tracker[]): Tracker {
  if (children.length === 0) return own;
  const all = [own, ...children];
  const members = () => uniteMembers(all.map((tracker) => tracker.members()));
  return {
    type: own.type,
    confidence: own.confidence,
    get record() {
      return own.record;
    },
    spawnInside: (spawn) => own.spawnInside(spawn),
    assign: (root) => own.assign(root),
    memberPids: () => [...new Set(all.flatMap((tracker) => tracker.memberPids()))],
    members,
    async killTree(options: KillTreeOptions) {
      await Promise.all(all.map((tracker) => tracker.killTree(options)));
      return members().filter((member) => options.spare?.has(member.pid) !== true);
    },
    killPid(identity) {
      for (const tracker of all) {
        const outcome = tracker.killPid(identity);
        if (outcome !== 'not-member') return outcome;
      }
      return 'not-member';
    },
    terminate: () => all.map((tracker) => tracker.terminate()).some(Boolean),
    setFrozen: (frozen) => all.map((tracker) => tracker.setFrozen(frozen)).every(Boolean),
    setBelowNormalPriority: (on) => uniteResults(all.map((tracker) => tracker.setBelowNormalPriority(on))),
    cpuTimeNs() {
      const times = all.map((tracker) => tracker.cpuTimeNs());
      return times.includes(undefined) ? undefined : times.reduce<number>((sum, time) => sum + (time ?? 0), 0);
    },
    oomKills() {
      const counts = all.map((tracker) => tracker.oomKills()).filter((count) => count !== undefined);
      return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
    },
    dispose() {
      for (const tracker of all) tracker.dispose();
    },
  };
}

function uniteResults(results: readonly PriorityResult[]): PriorityResult {
  const refused = new Map(results.flatMap((result) => result.refused).map((one) => [one.pid, one]));
  const done = new Set(results.flatMap((result) => result.done).filter((pid) => !refused.has(pid)));
  return { done: [...done], refused: [...refused.values()], isLimit: results.every((result) => result.isLimit) };
}

/** By pid; what an earlier list says counts. */
function uniteMembers(lists: readonly Member[][]): Member[] {
  const byPid = new Map<number, Member>();
  for (const member of lists.flat()) if (!byPid.has(member.pid)) byPid.set(member.pid, member);
  return [...byPid.values()];
}
