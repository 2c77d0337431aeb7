import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bins, createRig, type Rig } from '../helpers/cli.ts';
import { compileSchema, findFaults } from '../helpers/json-schema.ts';
import { startBlock } from '../helpers/live-block.ts';
import { escapesPattern } from '../helpers/reader.ts';
import { describeIf } from '../helpers/skip.ts';
import { hasTmux, TmuxScreen, tmuxReason } from '../helpers/tmux.ts';
import { waitFor } from '../helpers/wait-for.ts';

const watch = `${process.execPath} ${bins.agentmux} watch --interval 300ms`;

/** A block with equal sleepers in one tool call, a process to be ended in another, and a helper. */
async function startSample(rig: Rig): Promise<void> {
  const { agent } = await startBlock(rig, 'b1');
  await agent.startTool('sleep 401 & sleep 401 & sleep 401; true');
  await agent.startTool('sleep 402; true');
  await agent.startPlumbing('sleep', '403');
  await waitFor('the sample', async () => {
    const { stdout } = await rig.agentmux('ps', '--all').stdout(/./).run();
    return (stdout.match(/sleep 40\d$/gm) ?? []).length === 5;
  });
}

describeIf(hasTmux, tmuxReason, 'agentmux watch on a terminal', () => {
  it.each([
    [80, 24, undefined],
    [160, 45, undefined],
    [100, 30, 'scan'],
  ])('does what each key says, on %d x %d (tracker: %s)', async (columns, rows, tracker) => {
    const rig = createRig({ tracker });
    await startSample(rig);
    const screen = new TmuxScreen(rig, columns, rows);
    screen.enter(watch);
    await screen.seen(/^> {2}b1|^> b1 .*running/m);
    const first = await screen.seen(/sleep 401 ×3/);
    expect(first.split('\n')).toHaveLength(rows + 1);
    expect(first).not.toContain('sleep 403');
    expect(first.split('\n')[rows - 1]).toContain('kill');

    screen.press('?');
    await screen.seen(/^── keys ─/m);
    screen.press('Escape');
    await screen.seen(/by age ─/);

    screen.press('a');
    await screen.seen(/ROLE[\s\S]*plumbing .*sleep 403/);
    screen.press('a');
    await screen.unseen(/sleep 403/);

    screen.press('v');
    await screen.seen(/agent-started, flat, by age/);
    screen.press('s');
    await screen.seen(/by cpu/);
    screen.press('2', 's', 's', 's', 's');
    await screen.seen(/tree, by age/);

    screen.press('End');
    await screen.seen(/^> .* sleep 402$/m);
    screen.press('Home');
    await screen.seen(/^── process \d+[\s\S]*root, /m);
    screen.press('Down', 'Down');
    await screen.seen(/^> .*sleep 401 ×3$/m);
    screen.press('Right');
    await screen.unseen(/×3/);
    screen.press('Left');
    await screen.seen(/sleep 401 ×3/);
    screen.press('Up', 'Left');
    await screen.seen(/^> .*\(3 more\)$/m);
    screen.press('Space');
    await screen.seen(/sleep 401 ×3/);

    screen.press('/', '4', '0', '2', 'Enter');
    await screen.seen(/filter "402"/);
    expect(screen.text).not.toContain('sleep 401');
    screen.press('k');
    const plan = await screen.seen(/End \d process(es)? of b1\?/);
    expect(plan).toContain('y end them');
    screen.press('n');
    await screen.seen(/filter "402"/);
    screen.press('Escape', 'End', 'k');
    await screen.seen(/End 1 process of b1\?[\s\S]*sleep 402/);
    screen.press('y');
    await screen.seen(/ended: 1 exited/);
    await screen.seen(/^[ >]- .*sleep 402 \(exited\)$/m);
    screen.press('x');
    await screen.unseen(/\(exited\)/);

    screen.press('Tab');
    await screen.seen(/^── block b1 ─[\s\S]*tracker/m);
    screen.press('p');
    await screen.seen(/^> b1 .* frozen /m);
    screen.press('p');
    await screen.seen(/^> b1 .* running /m);

    screen.resize(columns - 10, rows - 6);
    await screen.seen(new RegExp(`^── block b1 ─{${columns - 10 - '── block b1 '.length}}$`, 'm'));

    screen.press('K');
    await screen.seen(/End all of b1, [\s\S]*this ends the agent/);
    screen.press('y');
    await screen.seen(/^[> ]- ?b1 .* ended /m, 30_000);
    // Until then q only says that a kill is under way.
    await screen.seen(/ended: \d+ exited/);
    screen.press('q');
    await waitFor('the shell', () => screen.fact('alternate_on') === '0');
  });

  it('shows a name of wide characters without breaking its lines', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    await agent.startTool('(exec -a "漢字かな👩‍👩‍👧-$(printf "\\033")]0;x" sleep 404); true');
    const screen = new TmuxScreen(rig, 80, 24);
    screen.enter(watch);
    const text = await screen.seen(/漢字かな/);
    expect(text).toMatch(new RegExp(escapesPattern('\\\\x1b\\]0;x')));
    expect(screen.fact('pane_title')).not.toBe('x');
    screen.press('q');
    await waitFor('the shell', () => screen.fact('alternate_on') === '0');
  });
});

/** A shell that tells the terminal's settings before and after a command, and how it ended. */
const script = (command: string): string =>
  `stty -g > before; (echo $BASHPID > pid; exec ${command}); echo "rc=$?."; stty -g > after; echo done.`;

describeIf(hasTmux, tmuxReason, 'agentmux watch leaves the terminal as it was', () => {
  const view = resolve('test/fixtures/crashing-view.ts');
  const runTs = `${process.execPath} ${resolve('scripts/run-ts.mjs')} ${view}`;

  async function expectRestored(rig: Rig, screen: TmuxScreen): Promise<void> {
    await screen.seen(/^done\.$/m);
    const [before, after] = ['before', 'after'].map((name) => readFileSync(join(rig.workDirectory, name), 'utf8'));
    expect(after).toBe(before);
    expect([screen.fact('alternate_on'), screen.fact('cursor_flag'), screen.fact('wrap_flag')]).toEqual([
      '0',
      '1',
      '1',
    ]);
  }

  const ownPid = (rig: Rig): number => Number(readFileSync(join(rig.workDirectory, 'pid'), 'utf8'));

  it.each([
    ['q', 'q', 0],
    ['Ctrl-C', 'C-c', 130],
  ])('after %s', async (_title, key, status) => {
    const rig = createRig();
    const screen = new TmuxScreen(rig, 80, 24);
    // Not in a list: of a death by SIGINT bash ends that too.
    screen.enter(`stty -g > before`);
    screen.enter(watch);
    await screen.seen(/agentmux-run COMMAND starts one/);
    expect([screen.fact('alternate_on'), screen.fact('cursor_flag')]).toEqual(['1', '0']);
    screen.press(key);
    await waitFor('the shell', () => screen.fact('alternate_on') === '0');
    screen.enter('echo "rc=$?."; stty -g > after; echo done.');
    await screen.seen(new RegExp(`^rc=${status}\\.$`, 'm'));
    await expectRestored(rig, screen);
  });

  it.each(['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('after %s', async (signal) => {
    const rig = createRig();
    const screen = new TmuxScreen(rig, 80, 24);
    screen.enter(script(watch));
    await screen.seen(/agentmux-run COMMAND starts one/);
    process.kill(ownPid(rig), signal);
    await expectRestored(rig, screen);
  });

  it.each([
    ['a look that throws', 'look', 'the look broke'],
    ['an error outside of any look', 'elsewhere', 'JSON'],
  ])('after a crash: %s', async (_title, where, message) => {
    const rig = createRig();
    const screen = new TmuxScreen(rig, 80, 24);
    screen.enter(script(`${runTs} ${where}`));
    await screen.seen(/crashed: /);
    expect(screen.text).toContain(message);
    await screen.seen(/rc=7\./);
    await expectRestored(rig, screen);
  });

  it.each(['Ctrl-Z', 'SIGTSTP'])('while it is stopped by %s, and takes it again after fg', async (how) => {
    const rig = createRig();
    const screen = new TmuxScreen(rig, 80, 24);
    screen.enter('stty -g > before');
    screen.enter(`${watch} & echo $! > pid; fg`);
    await screen.seen(/agentmux-run COMMAND starts one/);
    if (how === 'Ctrl-Z') screen.press('C-z');
    else process.kill(ownPid(rig), 'SIGTSTP');
    await screen.seen(/Stopped/);
    screen.enter('stty -g > after; echo done.');
    await expectRestored(rig, screen);
    screen.enter('fg');
    await screen.seen(/agentmux-run COMMAND starts one/);
    expect(screen.fact('alternate_on')).toBe('1');
    screen.press('q');
    await waitFor('the shell', () => screen.fact('alternate_on') === '0');
  });
});

describe('agentmux watch without a screen', () => {
  it('prints what ps prints, once, off a terminal', async () => {
    const rig = createRig();
    await startSample(rig);
    const { stdout } = await rig
      .agentmux('watch')
      .stdout(/sleep 402/)
      .run();
    expect(stdout).not.toContain('\x1b');
    expect(stdout.split('\n')[0]).toMatch(/^ *PID .* COMMAND$/);
  });

  it('prints a document a look, each on a line and valid by its schema', async () => {
    const rig = createRig();
    await startSample(rig);
    const { stdout } = await rig.agentmux('watch', '--json', '--count', '3', '--interval', '200ms').stdout(/./).run();
    const documents = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { atMs: number; rows: { command: string }[] });
    expect(documents).toHaveLength(3);
    const validate = compileSchema('watch');
    for (const document of documents) {
      expect(findFaults(validate, document)).toEqual([]);
      expect(document.rows.filter(({ command }) => command === 'sleep 401')).toHaveLength(3);
    }
    const times = documents.map(({ atMs }) => atMs);
    expect(times).toEqual([...new Set(times)].sort((a, b) => a - b));
  });

  it('sees what comes and goes, by scan too', async () => {
    const rig = createRig({ tracker: 'scan' });
    const { agent } = await startBlock(rig, 'b1');
    const running = rig.agentmux('watch', '--json', '--interval', '200ms').start();
    const last = () =>
      JSON.parse(running.stdout.trimEnd().split('\n').at(-1) ?? '{}') as { rows?: { command: string }[] };
    const has = (command: string) => last().rows?.some((row) => row.command === command) ?? false;
    await running.seen(/"blocks"/);
    await agent.startTool('sleep 405; true');
    await waitFor('the new process', () => tryTo(() => has('sleep 405')));
    const pid = tryTo(
      () => (last().rows as { command: string; pid: number }[]).find((row) => row.command === 'sleep 405')?.pid,
    );
    process.kill(pid || 0, 'SIGTERM');
    await waitFor('its end', () => tryTo(() => !has('sleep 405')));
    running.kill('SIGTERM');
    expect(await running.exited()).toBe('SIGTERM');
  });

  it('ends quietly when its reader has gone', async () => {
    const rig = createRig();
    await rig
      .command('sh', '-c', `${process.execPath} ${bins.agentmux} watch --json --interval 100ms | head -n 1`)
      .stdout(/^\{.*\}\n$/)
      .run();
  });

  it.each([
    [['--count', '2'], /--count is for --json/],
    [['--json', '--count', '0'], /"0" is no count/],
    [['--interval', '0'], /"0" is no span/],
    [['--interval', 'x'], /"x" is no time/],
  ])('refuses %j', async (args, message) => {
    await createRig()
      .agentmux('watch', ...args)
      .stdout(/^(\{[\s\S]*\}\n)?$/)
      .stderr(message)
      .status(2)
      .run();
  });

  it('says that there is no such block', async () => {
    await createRig()
      .agentmux('watch', '--block', 'nope')
      .stderr(/no block "nope"/)
      .status(3)
      .run();
  });
});

/** A line may be half written when it is read. */
function tryTo<T>(step: () => T): T | undefined {
  try {
    return step();
  } catch {
    return undefined;
  }
}
