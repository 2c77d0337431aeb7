import { describe, expect, it } from 'vitest';
import { createRig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { memoryPattern, notByPs, orphanCommand, suiteReader, surestTrackers, untilSeen } from '../helpers/reader.ts';
import { itIf } from '../helpers/skip.ts';
import { findSleepers } from '../helpers/sleepers.ts';

let markers = 0;
const marker = () => `7${process.pid}${String(markers++).padStart(3, '0')}`;

/** Both ways to know members; scan is all that some hosts have. */

describe.each(surestTrackers)('what outlives the command, tracked by %s', (tracker) => {
  const rigOf = () => createRig({ tracker });

  it('is listed by default, with the command that ends it, and keeps running', async () => {
    const rig = rigOf();
    const id = marker();
    const running = rig.run('--block', 'b1', 'sh', '-c', `sleep ${id} & ${untilSeen}exit 3`).start();
    expect(await running.exited()).toBe(3);
    const pid = findSleepers(id)[0];
    expect(running.stderr).toMatch(
      new RegExp(
        [
          '^agentmux-run: 1 process of b1 still runs:',
          'agentmux-run: +ENTRY +PID +UPTIME +PORTS +MEM +COMMAND',
          `agentmux-run: +p1 +${pid} +\\d+s +${memoryPattern} +sleep ${id}`,
          'agentmux-run: to end it: agentmux kill-tree --block b1',
          'agentmux-run: to keep it: agentmux keep --block b1 p1',
          `agentmux-run: pid ${pid} holds our stdout open: .*`,
          `agentmux-run: pid ${pid} holds our stderr open: .*\n$`,
        ].join('\n'),
      ),
    );
    await rig.agentmux('kill-tree', '--block', 'b1').stdout(anything).stderr(anything).run();
    expect(findSleepers(id)).toEqual([]);
  });

  const double = 'is ended by --leftovers kill: new sessions, double forks and cleared environments included';
  itIf(suiteReader !== 'darwin', notByPs('macOS hides the environment of sleep'), double, async () => {
    const id = marker();
    const script = `sleep ${id} & setsid sleep ${id} & setsid -f sleep ${id}; ${orphanCommand(`sleep ${id}`)}; sleep 0.3`;
    const { stderr } = await rigOf().run('--leftovers', 'kill', 'bash', '-c', script).stderr(anything).run();
    expect(stderr).toMatch(/^agentmux-run: ended 4 processes of bash-\w{4}: /);
    expect(findSleepers(id)).toEqual([]);
  });

  it('is ended by force where it must be, which is told', async () => {
    const id = marker();
    const script = `sh -c 'trap "" TERM INT HUP; while :; do sleep ${id}; done' & ${untilSeen}sleep 0.2`;
    const call = rigOf().run('--leftovers', 'kill', '--grace', '400ms', 'bash', '-c', script);
    const { stderr } = await call.stderr(anything).run();
    expect(stderr).toMatch(/^agentmux-run: KILL was needed for \d+ /m);
    expect(findSleepers(id)).toEqual([]);
  });

  it('is kept without a word by --leftovers keep', async () => {
    const id = marker();
    const running = rigOf().run('--leftovers', 'keep', 'sh', '-c', `sleep ${id} & exit 0`).start();
    expect(await running.exited()).toBe(0);
    expect(running.stderr).toBe('');
    expect(findSleepers(id)).toHaveLength(1);
  });

  it('is not what ends by itself in a moment', async () => {
    await rigOf().run('sh', '-c', 'sleep 0.3 & exit 0').run();
  });

  it('makes --fail-on-leak exit with 123, also if it was ended; but not over a code of the command', async () => {
    const script = (code: number) => `sleep ${marker()} >/dev/null 2>&1 & ${untilSeen}exit ${code}`;
    const call = (code: number, ...options: string[]) =>
      rigOf().run('--fail-on-leak', '--quiet', ...options, 'sh', '-c', script(code));
    await call(0).status(123).run();
    await call(0, '--leftovers', 'kill').status(123).run();
    await call(0, '--leftovers', 'keep').status(123).run();
    await call(5).status(5).run();
    await rigOf().run('--fail-on-leak', 'true').run();
  });
});

describe('leftovers', () => {
  it('are handled as AGENTMUX_LEFTOVERS says, unless a flag does', async () => {
    const id = marker();
    const call = (...options: string[]) =>
      createRig()
        .run(...options, '--quiet', 'sh', '-c', `sleep ${id} >/dev/null 2>&1 & ${untilSeen}true`)
        .env('AGENTMUX_LEFTOVERS', 'kill');
    await call().run();
    expect(findSleepers(id)).toEqual([]);
    await call('--leftovers', 'keep').run();
    expect(findSleepers(id)).toHaveLength(1);
  });

  it('hide secrets in the commands that are listed', async () => {
    const secret = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';
    const server = `bash -c 'exec -a "server --api-key ${secret}" sleep 77'`;
    const running = createRig().run('sh', '-c', `${server} & ${untilSeen}exit 0`).start();
    await running.exited();
    expect(running.stderr).toContain('--api-key');
    expect(running.stderr).not.toContain(secret);
  });

  it('of an earlier block from the same directory are told at the next start, not with --quiet', async () => {
    const rig = createRig();
    const id = marker();
    expect(
      await rig.run('--block', 'first', 'sh', '-c', `sleep ${id} >/dev/null 2>&1 & ${untilSeen}true`).start().exited(),
    ).toBe(0);
    await rig
      .run('sleep', '0.3')
      .stderr('agentmux-run: 1 process of first still runs: agentmux ps --block first\n')
      .run();
    await rig.run('--quiet', 'sleep', '0.3').run();
    await rig.run('--block', 'first', '--leftovers', 'keep', 'sleep', '0.3').run();
  });
});
