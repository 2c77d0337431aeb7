import { promisify } from 'node:util';
import fkill from 'fkill';
import pidtree from 'pidtree';
import treeKill from 'tree-kill';

/** A way to end the tree below a process. The peers get a start for free: they are called in this process. */
export interface Killer {
  readonly name: string;
  /** What tracks the crowd: a tracker of agentmux, or nothing but the pid of its first process. */
  readonly tracker: 'cgroup' | 'scan' | undefined;
  /** Undefined: agentmux's own command. */
  readonly kill: ((pid: number) => Promise<unknown>) | undefined;
}

export const killers: readonly Killer[] = [
  { name: 'agentmux kill-tree, cgroup', tracker: 'cgroup', kill: undefined },
  { name: 'agentmux kill-tree, scan', tracker: 'scan', kill: undefined },
  { name: 'tree-kill', tracker: undefined, kill: (pid) => promisify<number, string>(treeKill)(pid, 'SIGKILL') },
  { name: 'fkill --force', tracker: undefined, kill: (pid) => fkill(pid, { force: true, silent: true }) },
  { name: 'pidtree + kill', tracker: undefined, kill: killByPidtree },
  { name: 'kill of the process group', tracker: undefined, kill: async (pid) => process.kill(-pid, 'SIGKILL') },
];

async function killByPidtree(pid: number): Promise<void> {
  for (const member of await pidtree(pid, { root: true })) {
    try {
      process.kill(member, 'SIGKILL');
    } catch {
      // gone meanwhile
    }
  }
}
