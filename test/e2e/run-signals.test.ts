import { describe, expect, it } from 'vitest';
import { createRig } from '../helpers/cli.ts';
import { isAlive } from '../helpers/procfs.ts';
import { findSleepers } from '../helpers/sleepers.ts';
import { waitFor } from '../helpers/wait-for.ts';

/** A command that tells each signal that it gets, and ends with 40 + their number on the last one it waits for. */
const telling = (count: number, ...signals: string[]) => [
  'bash',
  '-c',
  `n=0; for s in ${signals.join(' ')}; do trap "echo got $s; n=\\$((n+1))" $s; done
   echo ready; while [ $n -lt ${count} ]; do sleep 0.05; done; exit $((40+n))`,
];

let markers = 0;
const marker = () => `9${process.pid}${String(markers++).padStart(3, '0')}`;

describe('a signal to agentmux-run alone, without a terminal', () => {
  it.each(['SIGINT', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const)('%s is passed on once', async (signal) => {
    const running = createRig()
      .run(...telling(1, signal.slice(3)))
      .start();
    await running.seen(/ready/);
    running.kill(signal);
    const { stdout, status } = await running.ended();
    expect(stdout).toBe(`ready\ngot ${signal.slice(3)}\n`);
    expect(status).toBe(41);
  });

  it('a second INT reaches a command that took the first one for itself', async () => {
    const running = createRig()
      .run(...telling(2, 'INT'))
      .start();
    await running.seen(/ready/);
    running.kill('SIGINT');
    await running.seen(/got INT/);
    running.kill('SIGINT');
    expect((await running.ended()).status).toBe(42);
  });

  it('TERM lets the command end in its own way, then ends all that it left', async () => {
    const id = marker();
    const script = `trap 'sleep 0.3; exit 9' TERM; setsid sleep ${id} & echo ready; while :; do sleep 0.05; done`;
    const running = createRig().run('bash', '-c', script).start();
    await running.seen(/ready/);
    await waitFor('the daemon', () => findSleepers(id).length === 1);
    running.kill('SIGTERM');
    expect(await running.exited()).toBe(9);
    expect(findSleepers(id)).toEqual([]);
  });

  it('TERM ends a tree that will not end by itself, in the time of --grace', async () => {
    const id = marker();
    const script = `trap '' TERM HUP INT; sleep ${id} & echo ready; while :; do sleep 0.05; done`;
    const running = createRig().run('--grace', '500ms', 'sh', '-c', script).start();
    await running.seen(/ready/);
    running.kill('SIGTERM');
    expect(await running.exited()).toBe(137);
    expect(findSleepers(id)).toEqual([]);
  });

  it('TERM is only passed on with an explicit --leftovers keep', async () => {
    const id = marker();
    const script = `trap 'exit 9' TERM; sleep ${id} & echo ready; while :; do sleep 0.05; done`;
    const running = createRig().run('--leftovers', 'keep', 'sh', '-c', script).start();
    await running.seen(/ready/);
    running.kill('SIGTERM');
    expect(await running.exited()).toBe(9);
    expect(findSleepers(id)).toHaveLength(1);
    expect(running.stderr).toBe('');
  });

  it('--timeout with an explicit keep ends the command alone, by force if it must', async () => {
    const id = marker();
    const script = `trap '' TERM; sleep ${id} & while :; do sleep 0.05; done`;
    const options = ['--leftovers', 'keep', '--timeout', '300ms', '--grace', '200ms'];
    const running = createRig()
      .run(...options, 'sh', '-c', script)
      .start();
    expect(await running.exited()).toBe(124);
    expect(findSleepers(id)).toHaveLength(1);
  });

  it('HUP is passed on and ends the tree', async () => {
    const id = marker();
    const running = createRig().run('sh', '-c', `trap '' HUP; sleep ${id} & echo ready; wait; sleep ${id}`).start();
    await running.seen(/ready/);
    running.kill('SIGHUP');
    expect(await running.exited()).toBe('SIGTERM');
    expect(findSleepers(id)).toEqual([]);
  });

  it('of a person at a terminal (--terminal) nothing is ended', async () => {
    const id = marker();
    const script = `trap 'exit 9' HUP; sleep ${id} & echo ready; while :; do sleep 0.05; done`;
    const running = createRig().run('--terminal', 'sh', '-c', script).start();
    await running.seen(/ready/);
    running.kill('SIGHUP');
    expect(await running.exited()).toBe(9);
    expect(findSleepers(id)).toHaveLength(1);
  });

  it('a second INT during clean-up forces', async () => {
    const id = marker();
    const script = `trap 'exit 0' INT; sh -c 'trap "" TERM; while :; do sleep ${id}; done' & echo ready; while :; do sleep 0.05; done`;
    const options = ['--leftovers', 'kill', '--grace', '60s', '--verbose'];
    const running = createRig()
      .run(...options, 'bash', '-c', script)
      .start();
    await running.seen(/ready/);
    running.kill('SIGINT');
    await running.seen(/waiting for pid/, 'stderr');
    running.kill('SIGINT');
    expect(await running.exited()).toBe(0);
    expect(running.stderr).toMatch(/KILL was needed for \d+/);
    expect(findSleepers(id)).toEqual([]);
  });

  it('a death of the command from outside is told as it was, and the rest is ended', async () => {
    const id = marker();
    const rig = createRig();
    const running = rig.run('--leftovers', 'kill', 'sh', '-c', `echo $$; sleep ${id} & wait`).start();
    const [pid] = await running.seen(/^\d+/);
    process.kill(Number(pid), 'SIGKILL');
    expect(await running.exited()).toBe(137);
    expect(isAlive(Number(pid))).toBe(false);
    expect(findSleepers(id)).toEqual([]);
  });
});
