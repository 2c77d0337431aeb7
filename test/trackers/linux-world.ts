import { getPriority } from 'node:os';
import { isAlive, readRow, readTable } from '../helpers/procfs.ts';
import type { AgentKind, ContractWorld } from './contract.ts';
import { identify, platform, track, zombie } from './track.ts';

/** The contract suite's world on Linux, where agents are shell scripts. */
export function linuxWorld(type: 'cgroup' | 'scan'): ContractWorld {
  return {
    platform,
    capMs: 10_000,
    start: (kind) => track(type, scripts[kind]),
    isAlive,
    // A child of ours is a member of a scan, since ours are the orphans of the tree: so one that is nobody's.
    stranger: () => identify(readTable().find((row) => row.ppid <= 1 && row.pid > 1)?.pid ?? process.ppid),
    // A group's processes are not told from others that wait.
    stands: (pid) => type === 'cgroup' || readRow(pid)?.state === 'T',
    isBelowNormal: (pid) => getPriority(pid) === 10,
    without: {},
  };
}

const scripts: Readonly<Record<AgentKind, string>> = {
  family: 'sleep 300 & echo child $!; (sleep 300 & echo deep $!; wait) & wait',
  orphan: `setsid bash -c 'echo maker $$; sleep 300 & echo orphan $!'; exec sleep 300`,
  zombie: `${zombie('ended')}; exec sleep 300`,
  stubborn: `
    trap '' TERM
    setsid bash -c 'trap "" TERM HUP INT; echo deaf $$; while :; do sleep 1; done' &
    sleep 300 & kill -STOP $!; echo stopped $!
    setsid sleep 300 & echo apart $!
    wait`,
  stopped: 'sleep 300 & kill -STOP $!; echo stopped $!; exec sleep 300',
  pair: 'sleep 300 & echo one $!; sleep 300 & echo two $!; wait; sleep 300',
  busy: 'while :; do :; done',
};
