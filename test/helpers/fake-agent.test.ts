import { expect, it } from 'vitest';
import { createRig } from './cli.ts';
import { createFakeAgent, daemonCommand } from './fake-agent.ts';
import { isAlive, readRow } from './procfs.ts';
import { hasPty, ptyReason, startOnTerminal } from './pty.ts';
import { itIf } from './skip.ts';

it('the fake agent starts tools in sessions of their own and plumbing in its own', async () => {
  const rig = createRig();
  const agent = await createFakeAgent();
  const [command = '', ...args] = agent.argv;
  const running = rig.command(command, ...args, 'extra').start();
  const session = await agent.connected();
  const { pid, argv } = await session.inspect();
  expect(pid).toBe(running.pid);
  expect(argv.at(-1)).toBe('extra');
  const tool = await session.startTool('sleep 300; true');
  const plumbing = await session.startPlumbing('sleep', '300');
  expect(readRow(tool)?.sid).toBe(tool);
  expect(readRow(plumbing)?.sid).toBe(readRow(pid)?.sid);
  await session.print('hello\n');
  await running.seen(/hello/);
  session.exit(3);
  expect(await running.exited()).toBe(3);
  expect(isAlive(tool)).toBe(true);
});

it('the fake agent dies by the signal that it is told', async () => {
  const agent = await createFakeAgent();
  const [command = '', ...args] = agent.argv;
  const running = createRig()
    .command(command, ...args)
    .start();
  const session = await agent.connected();
  await session.startTool(daemonCommand('sleep 1'));
  session.die('SIGTERM');
  expect(await running.exited()).toBe('SIGTERM');
});

itIf(hasPty, ptyReason, 'a terminal passes keys, size and the exit', async () => {
  const terminal = startOnTerminal(createRig(), ['sh', '-c', 'stty size; read x; echo "got $x"; exit 5'], {
    columns: 77,
  });
  await terminal.seen(/30 77/);
  terminal.type('abc\r');
  await terminal.seen(/got abc/);
  expect(await terminal.ended()).toBe(5);
  const sleeper = startOnTerminal(createRig(), ['sh', '-c', 'echo ready; exec sleep 300']);
  await sleeper.seen(/ready/);
  sleeper.type('\x03');
  expect(await sleeper.ended()).toBe('SIGINT');
});
