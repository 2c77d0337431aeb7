import { expect, it } from 'vitest';
import { bins, createRig } from '../helpers/cli.ts';
import { isAlive, readArgv, readTable } from '../helpers/procfs.ts';
import { hasPty, ptyReason, startOnTerminal } from '../helpers/pty.ts';
import { describeIf } from '../helpers/skip.ts';
import { findSleepers } from '../helpers/sleepers.ts';
import { waitFor } from '../helpers/wait-for.ts';

const run = `${process.execPath} ${bins.agentmuxRun}`;
const marker = (n: number) => `8${process.pid}${n}`;

/** Counts SIGINT and exits with 40 + their number two seconds after the first. */
const counting = `trap 'n=$((n+1)); echo "INT $n"; end=$((SECONDS+2))' INT
n=0; end=999; echo ready; while [ $SECONDS -lt $end ]; do sleep 0.1; done; exit $((40+n))`;

describeIf(hasPty, ptyReason, 'agentmux-run on a terminal', () => {
  it('lets one Ctrl-C be one INT for the command, and stays until that ends', async () => {
    const rig = createRig();
    await rig.command('true').file('count.sh', counting).run();
    const session = startOnTerminal(rig, ['bash', '-c', `trap : INT; ${run} bash count.sh; echo rc=$?`]);
    await session.seen(/ready/);
    session.type('\x03');
    await session.seen(/rc=41/);
    expect(session.screen.match(/INT \d/g)).toEqual(['INT 1']);
    await session.ended();
  });

  it('dies of INT as its command did', async () => {
    const session = startOnTerminal(createRig(), [
      process.execPath,
      bins.agentmuxRun,
      // Not sh: dash loses an INT that comes while it starts a command.
      'bash',
      '-c',
      'echo ready; sleep 100',
    ]);
    await session.seen(/ready/);
    session.type('\x03');
    expect(await session.ended()).toBe('SIGINT');
  });

  it('stops with its command on Ctrl-Z and goes on with it on fg', async () => {
    const rig = createRig();
    const session = startOnTerminal(rig, ['bash', '--norc', '-i']);
    session.type(`${run} sh -c 'echo started; sleep 2; echo "fin"ished'\r`);
    await session.seen(/^started/m);
    session.type('\x1a');
    await session.seen(/Stopped/);
    session.type('echo prompt=$((20+22))\r');
    await session.seen(/prompt=42/);
    session.type('fg\r');
    await session.seen(/^finished/m);
    session.type('echo rc=$?; exit\r');
    await session.seen(/rc=0/);
    await session.ended();
  });

  it('stops with a command that stops itself, and continues it on fg', async () => {
    const session = startOnTerminal(createRig(), ['bash', '--norc', '-i']);
    session.type(`${run} sh -c 'echo started; kill -STOP $$; echo "fin"ished'\r`);
    await session.seen(/^started/m);
    await session.seen(/Stopped/);
    session.type('fg\r');
    await session.seen(/^finished/m);
    session.type('exit\r');
    await session.ended();
  });

  it('is not stopped when it is started in the background, whose end leaves the terminal alone', async () => {
    const session = startOnTerminal(createRig(), ['bash', '--norc', '-i']);
    session.type(
      `stty -echo; ${run} sh -c 'exit 7' & wait $!; echo "rc"=$?; stty -a | grep -o -- '-echo '; stty echo; exit\r`,
    );
    await session.seen(/^rc=7/m);
    await session.seen(/^-echo /m);
    await session.ended();
  });

  it('lets a command of its own process group read from the terminal', async () => {
    const session = startOnTerminal(createRig(), ['sh', '-c', `${run} bash -ic 'read -r line; echo "got $line"'`]);
    session.type('words\r');
    await session.seen(/got words/);
    await session.ended();
  });

  it.each([
    ['KILL', 137],
    ['TERM', 'SIGTERM' as const],
  ])('restores a terminal in raw mode after a death by %s', async (signal, status) => {
    const rig = createRig();
    const raw = `stty raw -echo; printf '\\033[?1049h\\033[?1003h\\033[?25l'; kill -${signal} $$`;
    await rig.command('true').file('raw.sh', raw).run();
    const script = `stty -g >before; trap '' TERM; sh -c 'trap - TERM; exec ${run} sh raw.sh'; stty -g >after; cmp before after && echo same; exit 0`;
    const session = startOnTerminal(rig, ['bash', '-c', script]);
    await session.seen(/same/);
    for (const mode of ['1003l', '1049l', '25h', '2004l']) expect(session.screen).toContain(`\x1b[?${mode}`);
    await session.ended();
    const again = startOnTerminal(rig, [process.execPath, bins.agentmuxRun, 'sh', 'raw.sh']);
    expect(await again.ended()).toBe(status);
  });

  it('leaves the terminal as a command leaves it that ends by itself', async () => {
    const session = startOnTerminal(createRig(), [
      'bash',
      '-c',
      `${run} stty -echo; stty -a | grep -o -- '-echo '; stty echo`,
    ]);
    await session.seen(/-echo /);
    expect(session.screen).not.toContain('\x1b');
    await session.ended();
  });

  it('ends its tree within seconds when the terminal is closed, also a command that ignores HUP', async () => {
    const rig = createRig();
    const script = `trap '' HUP; echo ready; while :; do sleep ${marker(1)}; done`;
    const session = startOnTerminal(rig, [process.execPath, bins.agentmuxRun, 'sh', '-c', script]);
    await session.seen(/ready/);
    const wrapper = await waitFor('the wrapper', () =>
      readTable().find(({ pid }) => readArgv(pid)[1] === bins.agentmuxRun && readArgv(pid).includes(script)),
    );
    session.hangUp();
    await waitFor('the end of the wrapper', () => !isAlive(wrapper.pid), 15_000);
    expect(findSleepers(marker(1))).toEqual([]);
  });

  it('asks on the terminal what to do with leftovers, and does it', async () => {
    const rig = createRig();
    const start = () =>
      startOnTerminal(rig, [
        process.execPath,
        bins.agentmuxRun,
        '--leftovers',
        'ask',
        'sh',
        '-c',
        // The end of the terminal's session hangs up its foreground group.
        `trap '' HUP; sleep ${marker(2)} </dev/null >/dev/null 2>&1 &`,
      ]);
    const no = start();
    await no.seen(/End them\?/);
    no.type('n\r');
    expect(await no.ended()).toBe(0);
    expect(findSleepers(marker(2))).toHaveLength(1);
    const yes = start();
    await yes.seen(/End them\?/);
    yes.type('y\r');
    expect(await yes.ended()).toBe(0);
    expect(findSleepers(marker(2))).toHaveLength(1);
  });
});
