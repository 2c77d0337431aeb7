import { expect, it } from 'vitest';
import type { KillProgress } from '../../src/kill/kill.ts';
import { killBlock, planBlock } from '../../src/kill/transaction.ts';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import { startProcess, startSleeper } from '../helpers/processes.ts';
import { isAlive, readRow, readTable } from '../helpers/procfs.ts';
import { describeIf, isLinux } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { createProcessWorld } from './process-world.ts';

const childOf = (pid: number, count = 1) =>
  waitFor(`${count} children of ${pid}`, () => {
    const pids = readTable()
      .filter((row) => row.ppid === pid)
      .map((row) => row.pid);
    return pids.length >= count && pids;
  });

describeIf(isLinux, 'needs procfs', 'killBlock', () => {
  it('asks the agent first and the rest when it has gone, and says that all have exited', async () => {
    const agent = startProcess('bash', ['-c', 'sleep 300 & sleep 300 & wait']);
    const tools = await childOf(agent.pid, 2);
    const report = await killBlock(createProcessWorld({ roots: [agent.pid] }), { graceMs: 4000 });
    expect(report.ok).toBe(true);
    expect(new Map(report.rows.map((row) => [row.pid, row.result]))).toEqual(
      new Map([agent.pid, ...tools].map((pid) => [pid, 'exited'])),
    );
    expect([agent.pid, ...tools].some(isAlive)).toBe(false);
  });

  it('lets an agent end its tools in order: no TERM reaches them while it is at it', async () => {
    const script = 'end() { kill -USR1 $tool; wait $tool; exit 0; }; trap end TERM; ';
    const tool =
      'bash -c \'trap "exit 3" USR1; trap "exit 9" TERM; while :; do sleep 0.05; done\' & tool=$!; wait; wait';
    const agent = startProcess('bash', ['-c', script + tool]);
    await childOf(agent.pid);
    await waitFor('the traps to be set', () => readTable().some((row) => readRow(row.ppid)?.ppid === agent.pid));
    const started = performance.now();
    const report = await killBlock(createProcessWorld({ roots: [agent.pid] }), { graceMs: 24_000 });
    expect(report.ok).toBe(true);
    expect(report.rows.every((row) => row.result === 'exited' || row.result === 'already-gone')).toBe(true);
    expect(performance.now() - started).toBeLessThan(14_000);
  });

  it('forces what ignores TERM when the grace is over, and names who is waited for meanwhile', async () => {
    const stubborn = startProcess('bash', ['-c', 'trap "" TERM; echo ready; sleep 300'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await waitFor('its trap', () => stubborn.child.stdout?.read());
    const told: KillProgress[] = [];
    const started = performance.now();
    const report = await killBlock(createProcessWorld({ roots: [stubborn.pid] }), {
      graceMs: 1200,
      onProgress: (progress) => told.push(progress),
    });
    expect(report.ok).toBe(true);
    expect(report.rows.find((row) => row.pid === stubborn.pid)?.result).toBe('killed');
    expect(performance.now() - started).toBeGreaterThan(1100);
    expect(told[0]?.waitingFor.map((target) => target.pid)).toContain(stubborn.pid);
    expect(told[0]?.forceInMs).toBeGreaterThan(0);
  });

  it('sends KILL at once without a grace', async () => {
    const agent = startSleeper();
    const report = await killBlock(createProcessWorld({ roots: [agent.pid] }), { graceMs: 0 });
    expect(report.rows).toMatchObject([{ pid: agent.pid, result: 'killed' }]);
  });

  it('kills by itself what was moved out of the group before the group was killed', async () => {
    const agent = startProcess('bash', ['-c', 'sleep 300 & sleep 300 & wait']);
    const [moved] = await childOf(agent.pid, 2);
    const killTree = async () => {
      for (const { pid } of [agent, ...readTable().filter((row) => row.ppid === agent.pid)]) {
        if (pid !== moved) process.kill(pid, 'SIGKILL');
      }
      return [];
    };
    const world = createProcessWorld({ roots: [agent.pid], tracker: { type: 'cgroup', killTree } });
    const table = () => ({ stat: (pid: number) => world.platform.readStat(pid) });
    const report = await killBlock({ ...world, table }, { graceMs: 0 });
    expect(report.ok).toBe(true);
    expect(report.rows.map((row) => row.result)).toEqual(['killed', 'killed', 'killed']);
    expect(isAlive(moved as number)).toBe(false);
  });

  it('takes the ends of what was in an emptied group from one look, not from one look at each', async () => {
    const agent = startProcess('bash', ['-c', 'sleep 300 & sleep 300 & wait']);
    const pids = [agent.pid, ...(await childOf(agent.pid, 2))];
    const linux = createLinuxPlatform();
    let asked = 0;
    let isKilled = false;
    const isAliveCounted = (...args: Parameters<typeof linux.isAlive>) => {
      if (isKilled) asked += 1;
      return linux.isAlive(...args);
    };
    const killTree = async () => {
      for (const pid of pids) process.kill(pid, 'SIGKILL');
      await waitFor('them to be gone', () => !pids.some(isAlive));
      isKilled = true;
      return [];
    };
    const platform = { ...linux, isAlive: isAliveCounted };
    const world = createProcessWorld({ roots: [agent.pid], platform, tracker: { type: 'cgroup', killTree } });
    const table = () => ({ stat: (pid: number) => linux.readStat(pid) });
    const report = await killBlock({ ...world, table }, { graceMs: 0 });
    expect(report).toMatchObject({ ok: true, rows: pids.map((pid) => ({ pid, result: 'killed' })) });
    expect(asked).toBe(0);
  });

  it('ends the grace when hurried', async () => {
    const agent = startProcess('bash', ['-c', 'trap "" TERM; echo ready; sleep 300'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await waitFor('its trap', () => agent.child.stdout?.read());
    const hurry = new AbortController();
    const started = performance.now();
    const killing = killBlock(createProcessWorld({ roots: [agent.pid] }), {
      graceMs: 60_000,
      hurry: hurry.signal,
      onProgress: () => hurry.abort(),
    });
    expect((await killing).ok).toBe(true);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('wakes the stopped, so that their handlers run', async () => {
    const agent = startProcess('bash', ['-c', 'trap "exit 7" TERM; kill -STOP $$; while :; do sleep 0.05; done']);
    await waitFor('it to stop', () => readRow(agent.pid)?.state === 'T');
    const report = await killBlock(createProcessWorld({ roots: [agent.pid] }), { graceMs: 5000 });
    expect(report.rows[0]).toMatchObject({ pid: agent.pid, result: 'exited' });
    expect((await agent.ended).code).toBe(7);
  });

  it('ends a supervisor that starts its children anew', async () => {
    const agent = startProcess('bash', ['-c', 'trap "" TERM; while :; do sleep 300 & wait $!; done']);
    await childOf(agent.pid);
    const report = await killBlock(createProcessWorld({ roots: [agent.pid] }), { graceMs: 500 });
    expect(report.ok).toBe(true);
    expect(isAlive(agent.pid)).toBe(false);
    expect(report.rows.filter((row) => isAlive(row.pid))).toEqual([]);
  });

  it('hunts in a scan also when all that it asked has ended, since a look misses what replaces itself', async () => {
    const agent = startSleeper();
    let hunts = 0;
    const killTree = async () => {
      hunts += 1;
      return [];
    };
    const world = createProcessWorld({ roots: [agent.pid], tracker: { type: 'scan', killTree } });
    expect((await killBlock(world, { graceMs: 3000 })).ok).toBe(true);
    expect(hunts).toBe(1);
  });

  it('counts a zombie as gone', async () => {
    // What the shell has started before the exec is not waited for by what it becomes.
    const child = '(while [ "$(cat /proc/$$/comm)" != sleep ]; do :; done) &';
    const parent = startProcess('bash', ['-c', `${child} exec sleep 300`]);
    await waitFor('the zombie', () => hasZombieChild(parent.pid));
    const report = await killBlock(createProcessWorld({ roots: [parent.pid] }), { graceMs: 3000 });
    expect(report).toMatchObject({ ok: true, rows: [{ pid: parent.pid, result: 'exited' }] });
  });

  it('signals nobody whose pid changed hands between the look and the signal', async () => {
    const bystander = startSleeper();
    const world = createProcessWorld({
      roots: [bystander.pid],
      view: (member) => ({ ...member, startTicks: (member.startTicks ?? 0) - 1 }),
    });
    const report = await killBlock(world, { graceMs: 300 });
    expect(report.rows.map((row) => row.result)).toEqual(['already-gone']);
    expect(isAlive(bystander.pid)).toBe(true);
  });

  it('names the owner of what it may not signal, and ends the rest', async () => {
    const agent = startProcess('bash', ['-c', 'sleep 300 & sleep 300 & wait']);
    const [foreign, own] = await childOf(agent.pid, 2);
    const linux = createLinuxPlatform();
    const platform = {
      ...linux,
      signal: (...[identity, signal]: Parameters<typeof linux.signal>) =>
        identity.pid === foreign ? ('denied' as const) : linux.signal(identity, signal),
      readDetails: (...[pid, fields]: Parameters<typeof linux.readDetails>) => ({
        ...linux.readDetails(pid, fields),
        uid: pid === foreign ? 4711 : 0,
      }),
    };
    const started = performance.now();
    const report = await killBlock(createProcessWorld({ roots: [agent.pid], platform }), { graceMs: 30_000 });
    expect(report.ok).toBe(false);
    expect(report.rows.find((row) => row.pid === foreign)).toMatchObject({
      result: 'denied',
      detail: 'not permitted, owner uid 4711',
    });
    expect(report.rows.find((row) => row.pid === own)?.result).toBe('exited');
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('lists what carries the tag alone, and ends it only when told to', async () => {
    const agent = startProcess('bash', ['-c', 'sleep 300 & wait']);
    const [desktop] = await childOf(agent.pid);
    const world = createProcessWorld({
      roots: [agent.pid],
      view: (member) => (member.pid === desktop ? { ...member, source: 'tag', escaped: true } : member),
    });
    const report = await killBlock(world, { graceMs: 2000 });
    expect(report).toMatchObject({ ok: true, leftOut: [{ pid: desktop, escaped: true }] });
    expect(isAlive(desktop as number)).toBe(true);
    const second = await killBlock(world, { graceMs: 2000, escaped: true });
    expect(second).toMatchObject({ ok: true, leftOut: [], rows: [{ pid: desktop, result: 'exited' }] });
  });

  it('spares the agent and its plumbing when only what it started is to end, and thaws it', async () => {
    const agent = startProcess('bash', ['-c', 'sleep 301 & sleep 302 & wait']);
    const [server, tool] = await childOf(agent.pid, 2);
    const frozen: boolean[] = [];
    const world = createProcessWorld({
      roots: [agent.pid],
      roleOf: (pid) => (pid === agent.pid ? 'root' : pid === server ? 'plumbing' : 'started'),
      tracker: { setFrozen: (on) => frozen.push(on) > 0 },
      mayFreeze: true,
    });
    const report = await killBlock(world, { graceMs: 0, startedOnly: true });
    expect(report).toMatchObject({ ok: true, rows: [{ pid: tool, result: 'killed' }] });
    expect([agent.pid, server as number].every(isAlive)).toBe(true);
    expect(frozen).toEqual([true, false]);
  });

  it('thaws also when a look fails', async () => {
    const agent = startSleeper();
    const frozen: boolean[] = [];
    let looks = 0;
    const world = createProcessWorld({
      roots: [agent.pid],
      roleOf: () => 'started',
      tracker: { setFrozen: (on) => frozen.push(on) > 0 },
      mayFreeze: true,
    });
    const failing = {
      ...world,
      look: () => {
        if (++looks > 2) throw new Error('the look failed');
        return world.look();
      },
    };
    await expect(killBlock(failing, { graceMs: 0, startedOnly: true })).rejects.toThrow('the look failed');
    expect(frozen).toEqual([true, false]);
  });

  it('plans without signalling', async () => {
    const agent = startSleeper();
    const plan = planBlock(createProcessWorld({ roots: [agent.pid] }), {});
    expect(plan.targets).toMatchObject([{ pid: agent.pid, command: 'sleep 300', turn: 'agent', ports: [] }]);
    expect(isAlive(agent.pid)).toBe(true);
  });

  it('is done at once where nothing lives', async () => {
    const agent = startProcess('true');
    await agent.ended;
    expect(await killBlock(createProcessWorld({ roots: [agent.pid] }), { graceMs: 4000 })).toEqual({
      rows: [],
      leftOut: [],
      kept: [],
      ok: true,
    });
  });
});

function hasZombieChild(pid: number): boolean {
  return createLinuxPlatform()
    .readTable()
    .some((stat) => stat.ppid === pid && stat.state === 'Z');
}
