import { readFileSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bins, createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { killJson, parseKillJson, readIfThere } from '../helpers/kill-json.ts';
import { type LiveBlock, startBlock } from '../helpers/live-block.ts';
import { startSleeper } from '../helpers/processes.ts';
import { findByArgv, isAlive, readRow, readTable } from '../helpers/procfs.ts';
import { readStart, trackers } from '../helpers/reader.ts';
import { isRoot, itIf } from '../helpers/skip.ts';
import { waitFor } from '../helpers/wait-for.ts';

const started = (marker: string, count = 1) =>
  waitFor(`${count} of ${marker}`, () => {
    const pids = findByArgv(marker).filter((pid) => readRow(pid)?.state !== 'Z');
    return pids.length >= count && pids;
  });

/** Runs a command line of agentmux inside the block, as a tool of the agent would; resolves to output and status. */
async function runInside(rig: Rig, { agent }: LiveBlock, args: string): Promise<string> {
  const path = join(rig.workDirectory, 'inside');
  const command = `${process.execPath} ${bins.agentmux} ${args}`;
  await agent.startTool(`trap '' TERM; { ${command}; echo "status=$?"; } >${path}.tmp 2>&1; mv ${path}.tmp ${path}`);
  const text = await waitFor(`the output of ${args}`, () => readIfThere(path), 30_000);
  rmSync(path);
  return text;
}

describe.each(trackers)('agentmux kill (tracker %s)', (tracker) => {
  it('ends a tool with what descends from it, says so, and leaves the agent and its other tools alone', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const other = await agent.startTool('exec sleep 4101');
    const tool = await agent.startTool('setsid sleep 4102 & sleep 4102 & wait');
    const sleepers = await started('4102', 3);
    const { stdout } = await rig
      .agentmux('kill', String(tool))
      .stdout(/^RESULT/)
      .stderr(/^this ends 2 descendants too: /)
      .run();
    expect(stdout.match(/^exited /gm)).toHaveLength(3);
    expect(sleepers.some(isAlive)).toBe(false);
    expect(isAlive(other)).toBe(true);
    await agent.inspect();
  });

  it('ends one process only where told to, and names what of its session lives on', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 4103 & wait; sleep 4104');
    const [sleeper] = (await waitFor('its child', () => {
      const pids = readTable()
        .filter((row) => row.ppid === tool)
        .map((row) => row.pid);
      return pids.length > 0 && pids;
    })) as [number];
    const document = await killJson('kill', rig, 0, String(sleeper));
    expect(document.rows).toMatchObject([{ pid: sleeper, result: 'exited' }]);
    expect(document.remaining).toMatchObject([{ pid: tool }]);
  });

  it('ends the listener of a port, not its clients and not the bystander', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const bystander = startSleeper();
    await agent.startTool('exec python3 -u -m http.server 0 --bind 127.0.0.1 >port 2>&1');
    const port = await waitFor(
      'its port',
      () => /port (\d+)/.exec(readIfThere(join(rig.workDirectory, 'port')) ?? '')?.[1],
    );
    const client = createConnection(Number(port), '127.0.0.1');
    client.on('error', () => {});
    const { stdout } = await rig.agentmux('kill', `:${port}`).stdout(anything).run();
    expect(stdout).toContain(`:${port}`);
    expect(isAlive(bystander.pid)).toBe(true);
    client.destroy();
    await rig
      .agentmux('kill', '--port', port)
      .stderr(new RegExp(`^error: no member listens on port ${port}\n`))
      .status(3)
      .run();
  });

  it('says that a former member has gone already, and signals nobody', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('exec sleep 4105');
    const identity = `${tool}:${readStart(tool)}`;
    await killJson('kill', rig, 0, '-9', identity);
    await waitFor('it to be gone', () => readRow(tool) === undefined);
    for (const target of [String(tool), identity]) {
      expect((await killJson('kill', rig, 0, target)).rows).toMatchObject([{ pid: tool, result: 'already-gone' }]);
    }
  });

  it('signals nobody whose start time is not the one that was named', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('exec sleep 4106');
    await killJson('kill', rig, 0, `${tool}:${(readStart(tool) ?? 0) + 1}`);
    await rig
      .agentmux('kill', `${tool}:1`)
      .stderr(
        `error: the process ${tool}:1 is gone, or never was a member: ${tool} is another one, and not signalled\nhint: agentmux ps -q\n`,
      )
      .status(3)
      .run();
    expect(isAlive(tool)).toBe(true);
  });

  it('refuses what is no member, from outside and from inside', async () => {
    const rig = createRig({ tracker });
    const block = await startBlock(rig, 'b1');
    const other = await startBlock(rig, 'b2');
    const stranger = startSleeper();
    const neighbour = await other.agent.startTool('exec sleep 4107');
    await rig
      .agentmux('kill', String(stranger.pid))
      .stderr(/^error: pid \d+ is no member of a live block/)
      .status(3)
      .run();
    const told = await runInside(rig, block, `kill ${neighbour}`);
    expect(told).toMatch(/is no member of block "b1": not signalled\nhint: agentmux kill --block b2 \d+\nstatus=3\n$/);
    expect(isAlive(neighbour) && isAlive(stranger.pid)).toBe(true);
  });

  it('refuses the wrapper, pid 1, itself and what runs it', async () => {
    const rig = createRig({ tracker });
    const block = await startBlock(rig, 'b1');
    await rig
      .agentmux('kill', String(block.wrapper.pid))
      .stderr(/is agentmux-run of block "b1"/)
      .status(5)
      .run();
    const { pid } = await block.agent.inspect();
    expect(await runInside(rig, block, `kill ${pid}`)).toMatch(
      /runs this very command: not signalled\n.*\nstatus=5\n$/,
    );
    expect(await runInside(rig, block, `kill ${block.wrapper.pid}`)).toMatch(/status=5\n$/);
    expect(await runInside(rig, block, 'kill $$')).toMatch(/status=5\n$/);
    await block.agent.inspect();
  });

  it('forces what ignores TERM after the grace, within its time', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('trap "" TERM; while :; do sleep 0.05; done');
    await waitFor('its loop', () => readTable().some((row) => row.ppid === tool));
    const startedAt = performance.now();
    const document = await killJson('kill', rig, 0, '--grace', '500ms', String(tool));
    expect(document.rows.find((row) => row.pid === tool)?.result).toBe('killed');
    expect(performance.now() - startedAt).toBeGreaterThan(500);
  });

  it('sends another signal once, and forces nothing', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('exec sleep 4108');
    expect((await killJson('kill', rig, 0, '-s', 'STOP', String(tool))).rows).toMatchObject([
      { pid: tool, result: 'signalled' },
    ]);
    await waitFor('it to stop', () => readRow(tool)?.state === 'T');
    expect((await killJson('kill', rig, 0, String(tool))).rows).toMatchObject([{ pid: tool, result: 'exited' }]);
  });

  it('only prints in a dry run', async () => {
    const rig = createRig({ tracker });
    const { agent } = await startBlock(rig, 'b1');
    const tool = await agent.startTool('sleep 4109 & wait');
    await started('sleep', 1);
    const document = await killJson('kill', rig, 0, '--dry-run', String(tool));
    expect(document).toMatchObject({ dryRun: true, ok: null });
    expect(document.rows.every((row) => row.result === null)).toBe(true);
    expect(isAlive(tool)).toBe(true);
  });

  itIf(
    isRoot,
    'needs root to change owners',
    'names the owner of what it may not signal, and ends the rest',
    async () => {
      const rig = createRig({ tracker });
      const { agent } = await startBlock(rig, 'b1');
      const foreign = await agent.startTool('exec sleep 4110');
      const own = await agent.startTool('exec setpriv --reuid=65534 --regid=65534 --clear-groups sleep 4111');
      await waitFor('its owner', () => readFileSync(`/proc/${own}/status`, 'utf8').includes('Uid:\t65534'));
      await rig.command('chown', '-R', '65534', rig.stateDirectory).run();
      const result = await rig
        .command(
          'setpriv',
          '--reuid=65534',
          '--regid=65534',
          '--clear-groups',
          process.execPath,
          bins.agentmux,
          'kill',
          '--json',
          `${foreign}`,
          `${own}`,
        )
        .stdout(anything)
        .stderr(/not permitted, owner uid 0/)
        .status(4)
        .run();
      const document = parseKillJson('kill', result.stdout);
      expect(document.rows.find((row) => row.pid === foreign)).toMatchObject({
        result: 'denied',
        detail: 'not permitted, owner uid 0',
      });
      expect(isAlive(foreign)).toBe(true);
      expect(isAlive(own)).toBe(false);
    },
  );
});
