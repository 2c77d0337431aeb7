import { expect, it } from 'vitest';
import { killMembers, planMembers } from '../../src/kill/kill-members.ts';
import type { KillWorld } from '../../src/kill/transaction.ts';
import { startProcess } from '../helpers/processes.ts';
import { isAlive, readRow, readTable } from '../helpers/procfs.ts';
import { describeIf, isLinux } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { createProcessWorld } from './process-world.ts';

const childrenOf = (pid: number, count: number) =>
  waitFor(`${count} children of ${pid}`, () => {
    const pids = readTable()
      .filter((row) => row.ppid === pid)
      .map((row) => row.pid);
    return pids.length >= count && pids;
  });

const named = (world: KillWorld, pid: number) =>
  new Map([[pid, world.look().find((member) => member.pid === pid)?.startTicks]]);

/** An agent with a tool (`bash` with two sleepers) and a second tool. */
async function startAgent() {
  const agent = startProcess('bash', ['-c', "setsid bash -c 'sleep 301 & sleep 302 & wait' & sleep 303 & wait"]);
  const children = await childrenOf(agent.pid, 2);
  const tool = await waitFor('the tool', () => children.find((pid) => readRow(pid)?.sid === pid));
  const sleepers = await childrenOf(tool, 2);
  const other = children.find((pid) => pid !== tool) as number;
  return { world: createProcessWorld({ roots: [agent.pid] }), agent: agent.pid, tool, sleepers, other };
}

describeIf(isLinux, 'needs procfs', 'killMembers', () => {
  const options = { graceMs: 4000, signal: 'SIGTERM', only: false } as const;

  it('takes the descendants along and leaves the agent and the others alone', async () => {
    const { world, agent, tool, sleepers, other } = await startAgent();
    const report = await killMembers(world, named(world, tool), options);
    expect(report.ok).toBe(true);
    expect(report.rows.map((row) => row.pid).sort()).toEqual([tool, ...sleepers].sort());
    expect([tool, ...sleepers].some(isAlive)).toBe(false);
    expect(isAlive(agent) && isAlive(other)).toBe(true);
  });

  it('ends one leaf without its parent and its sibling, and the plan names the sibling', async () => {
    const { world, tool, sleepers } = await startAgent();
    const [leaf, sibling] = sleepers as [number, number];
    const plan = planMembers(world, named(world, leaf), false);
    expect(plan.targets.map((target) => target.pid)).toEqual([leaf]);
    expect(plan.remaining.map((target) => target.pid).sort()).toEqual([tool, sibling].sort());
    const report = await killMembers(world, named(world, leaf), options);
    expect(report.rows).toMatchObject([{ pid: leaf, result: 'exited' }]);
    expect(isAlive(sibling) && isAlive(tool)).toBe(true);
  });

  it('ends only the named one when told so', async () => {
    const { world, tool, sleepers } = await startAgent();
    const report = await killMembers(world, named(world, tool), { ...options, only: true });
    expect(report.rows.map((row) => row.pid)).toEqual([tool]);
    expect(sleepers.every(isAlive)).toBe(true);
    for (const pid of sleepers) process.kill(pid, 'SIGKILL');
  });

  it('sends another signal once and waits for nothing', async () => {
    const { world, other } = await startAgent();
    const report = await killMembers(world, named(world, other), { ...options, signal: 'SIGSTOP', graceMs: undefined });
    expect(report).toMatchObject({ ok: true, rows: [{ pid: other, result: 'signalled' }] });
    await waitFor('it to stop', () => readRow(other)?.state === 'T');
  });

  it('signals nobody if the named pid belongs to another process now', async () => {
    const { world, other } = await startAgent();
    const stale = new Map([[other, (named(world, other).get(other) ?? 0) - 1]]);
    const report = await killMembers(world, stale, options);
    expect(report).toEqual({ rows: [], leftOut: [], kept: [], ok: true });
    expect(isAlive(other)).toBe(true);
  });

  it('finds what an ended session leader started while it was being ended', async () => {
    const agent = startProcess('bash', [
      '-c',
      `setsid bash -c 'trap "bash -c \\"trap : TERM; while :; do sleep 0.05; done\\" & exit 0" TERM; while :; do sleep 0.05; done' & wait`,
    ]);
    const [tool] = (await childrenOf(agent.pid, 1)) as [number];
    await waitFor('its loop', () => readTable().some((row) => row.ppid === tool));
    const table = createProcessWorld({ roots: [agent.pid] });
    // As the wrapper's subreaper does, keep orphans of the session in sight.
    const world = {
      ...table,
      look: () => {
        const sessions = createProcessWorld({
          roots: readTable()
            .filter((row) => row.pid === agent.pid || row.sid === tool)
            .map((row) => row.pid),
        });
        return sessions.look();
      },
    };
    const report = await killMembers(world, named(world, tool), { ...options, graceMs: 1000 });
    expect(report.ok).toBe(true);
    expect(readTable().filter((row) => row.sid === tool)).toEqual([]);
  });
});
