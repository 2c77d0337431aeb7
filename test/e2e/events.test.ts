import { describe, expect, it } from 'vitest';
import { bins, createRig } from '../helpers/cli.ts';
import { compileSchema, findFaults } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { waitFor } from '../helpers/wait-for.ts';

interface Event {
  readonly cursor: string;
  readonly type: string;
  readonly process?: { readonly command: string; readonly pid: number };
  readonly rows?: readonly unknown[];
}

const fast = ['--interval', '200ms'];

/** The whole lines so far. */
const parse = (text: string): Event[] =>
  text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event);

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? '';

describe('agentmux events', () => {
  it('tells a process when it comes and when it has gone, and the block with its end', async () => {
    const rig = createRig();
    const running = rig.agentmux('events', '--json', ...fast).start();
    const event = (type: string, command?: string) =>
      waitFor(`${type} ${command ?? ''}; it said ${running.stdout}`, () =>
        parse(running.stdout).find(
          (one) => one.type === type && (command === undefined || one.process?.command === command),
        ),
      );
    // It begins with what changes after its first look.
    await waitFor('its first look', async () =>
      rig
        .agentmux('blocks')
        .stderr(/no blocks/)
        .run(),
    );
    const { agent, wrapper } = await startBlock(rig, 'b1');
    await event('block-added');
    await agent.startTool('sleep 501; true');
    const added = await event('process-added', 'sleep 501');
    process.kill(added.process?.pid ?? 0, 'SIGTERM');
    await event('process-exited', 'sleep 501');
    agent.exit(0);
    await wrapper.exited();
    await event('block-ended');
    const events = parse(running.stdout);
    const validate = compileSchema('events');
    for (const one of events) expect(findFaults(validate, one)).toEqual([]);
    expect(new Set(events.map(({ cursor }) => cursor)).size).toBe(events.length);
    running.kill('SIGTERM');
    expect(await running.exited()).toBe('SIGTERM');
  });

  it('begins with a snapshot for a cursor of another run', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('sleep 502; true');
    const running = rig.agentmux('events', '--json', '--since', 'abcd.7', ...fast).start();
    const [snapshot] = await waitFor('the snapshot', () => {
      const events = parse(running.stdout);
      return events.length > 0 && events;
    });
    running.kill('SIGTERM');
    await running.exited();
    expect(findFaults(compileSchema('events'), snapshot)).toEqual([]);
    expect(snapshot).toMatchObject({ type: 'snapshot' });
    await rig
      .agentmux('events', '--since', 'x')
      .stderr(/"x" is no cursor/)
      .status(2)
      .run();
  });

  it.each([['--json'], []])('counts what comes after the snapshot %s', async (...json) => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('sleep 504; true');
    const options = ['--all', '--since', '0.0', '--count', '1', ...fast];
    const running = rig
      .agentmux('events', ...json, ...options)
      .stdout(/./)
      .start();
    await running.seen(/sleep 504/);
    await agent.startTool('sleep 505');
    await running.exited();
    expect(lastLine(running.stdout)).toMatch(/process-added.*505/);
  });

  it('writes a line for people', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('sleep 503; true');
    const running = rig.agentmux('events', '--all', '--since', '0.0', ...fast).start();
    await running.seen(/^\S+Z {2}block-added {5}b1 {2}/m);
    await running.seen(/^\S+Z {2}process-added {3}b1 {2}\d+ {2}sleep 503$/m);
    running.kill('SIGTERM');
    await running.exited();
  });

  it('ends quietly when its reader has gone', async () => {
    const rig = createRig();
    await startBlock(rig, 'b1');
    const events = `${process.execPath} ${bins.agentmux} events --all --since 0.0 --interval 100ms`;
    // The reader takes one line; the next event finds it gone.
    await rig
      .command(
        'sh',
        '-c',
        `(sleep 1; ${process.execPath} ${bins.agentmuxRun} --block b2 -- sleep 1) & ${events} | head -n 1; wait`,
      )
      .stdout(/block-added/)
      .run();
  });
});
