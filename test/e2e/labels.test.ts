import { chmodSync, copyFileSync, existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCallProcesses } from '../../src/calls/call-processes.ts';
import { joinCalls, labelProcesses } from '../../src/calls/join.ts';
import { readCalls } from '../../src/calls/read-calls.ts';
import { selectPlatform } from '../../src/platform/select-platform.ts';
import { createRig, type Rig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { hasNamespaces, openNamespace } from '../helpers/namespace.ts';
import { itIf } from '../helpers/skip.ts';

const bashwrap = resolve('bin/agentmux-bashwrap');
const platform = selectPlatform(process.platform);
const canHideShell = hasNamespaces && realpathSync('/bin/sh') !== realpathSync('/bin/bash');

interface Report {
  readonly words: readonly string[];
  readonly settings: { readonly hooks?: { readonly PreToolUse: readonly unknown[] } };
  readonly calls: readonly { readonly output: string; readonly code: number }[];
}

/** A rig with a `claude` that runs its arguments as tool calls. */
function createLabelRig(): Rig & { claude(options: readonly string[], ...words: string[]): ReturnType<Rig['run']> } {
  const rig = createRig();
  const claude = join(rig.directory, 'claude');
  const script = readFileSync(resolve('test/fixtures/label-agent.mjs'), 'utf8');
  writeFileSync(`${claude}.mjs`, script);
  writeFileSync(claude, `#!/bin/sh\nexec ${process.execPath} ${claude}.mjs "$@"\n`);
  chmodSync(claude, 0o755);
  return { ...rig, claude: (options, ...words) => rig.run('--block', 'b', ...options, '--', claude, ...words) };
}

const callsOf = (rig: Rig) => join(rig.stateDirectory, 'calls', 'b');

/** Labels of every live process of the machine that has one in this rig. */
function labelsOf(rig: Rig) {
  const pids = platform.readTable().map(({ pid }) => pid);
  return labelProcesses(joinCalls(readCalls(callsOf(rig), process.getuid?.())), readCallProcesses(pids, platform));
}

const quiet = ['--quiet', '--leftovers', 'keep'] as const;

describe('labels of tool calls', () => {
  it('tells which call started what outlived it, however it went away', async () => {
    const rig = createLabelRig();
    await rig
      .claude(quiet, 'sleep 600 > /dev/null 2>&1 & echo $!', 'setsid sleep 601 > /dev/null 2>&1 & echo $!', 'echo done')
      .json<Report>()
      .then(({ calls }) => {
        const [first, second] = calls.map(({ output }) => Number(output));
        const labels = labelsOf(rig);
        expect(labels.get(first ?? 0)).toMatchObject({ toolId: 'toolu_0', description: 'Call 0' });
        expect(labels.get(second ?? 0)).toMatchObject({ toolId: 'toolu_1', description: 'Call 1' });
      });
  });

  it('sweeps the records of calls of which nothing lives, at the end', async () => {
    const rig = createLabelRig();
    await rig.claude(quiet, 'true', 'sleep 600 > /dev/null 2>&1 &').json();
    const { hooks, shells } = readCalls(callsOf(rig), process.getuid?.());
    expect([hooks, shells]).toMatchObject([[{ toolId: 'toolu_1' }], [{ command: 'sleep 600 > /dev/null 2>&1 &' }]]);
    await rig.agentmux('kill-tree', '--block', 'b', '--grace', '0').stdout(anything).stderr(anything).run();
    await rig.claude(quiet, 'true').json();
    expect(existsSync(callsOf(rig)) ? readdirSync(callsOf(rig)) : undefined).toBeUndefined();
  });

  it('removes the records with the block', async () => {
    const rig = createLabelRig();
    await rig.claude(quiet, 'sleep 600 > /dev/null 2>&1 &').json();
    await rig.agentmux('kill-tree', '--block', 'b', '--grace', '0').stdout(anything).stderr(anything).run();
    expect(existsSync(callsOf(rig))).toBe(true);
    await rig.agentmux('prune', '--older-than', '0').stdout(anything).stderr(anything).run();
    expect(existsSync(callsOf(rig))).toBe(false);
  });

  it("leaves the command's environment as it was", async () => {
    const rig = createLabelRig();
    const names = 'env | grep -E "PREFIX|AGENTMUX_(CALL|SHELL)" | cut -d= -f1 | sort | tr "\\n" " "';
    const [plain, labelled] = [
      await rig.claude(['--no-labels', ...quiet], names).json<Report>(),
      await rig.claude(quiet, names).json<Report>(),
    ];
    expect(plain?.calls[0]?.output).toBe('');
    expect(labelled?.calls[0]?.output).toBe('AGENTMUX_CALL AGENTMUX_CALLS ');
  });

  it("chains a prefix and settings of the user's", async () => {
    const rig = createLabelRig();
    const prefix = join(rig.directory, 'prefix');
    writeFileSync(prefix, '#!/bin/sh\nprintf "[mine]"\nexec bash -c "$1"\n');
    chmodSync(prefix, 0o755);
    const file = join(rig.workDirectory, 'mine.json');
    writeFileSync(file, '{"model":"m","hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[]}]}}');
    const call = rig.claude(quiet, '--settings', 'mine.json', 'echo $CLAUDE_CODE_SHELL_PREFIX');
    const { settings, calls, words } = await call.env('CLAUDE_CODE_SHELL_PREFIX', prefix).json<Report>();
    expect(settings).toMatchObject({ model: 'm', hooks: { PreToolUse: [{ matcher: 'Edit' }, { matcher: 'Bash' }] } });
    expect(calls).toEqual([{ output: `[mine]${prefix}\n`, code: 0 }]);
    expect(words[1]).toBe(join(callsOf(rig), 'settings.json'));
    expect(readFileSync(file, 'utf8')).toContain('"model":"m"');
  });

  it('hands over the words untouched with --no-labels', async () => {
    const rig = createLabelRig();
    const { words } = await rig.claude(['--no-labels', ...quiet], 'true').json<Report>();
    expect(words).toEqual(['true']);
    expect(existsSync(join(rig.stateDirectory, 'calls'))).toBe(false);
  });

  it('runs the agent without labels where no state can be kept', async () => {
    const rig = createLabelRig();
    const call = rig
      .claude(['--leftovers', 'keep'], 'echo $CLAUDE_CODE_SHELL_PREFIX.')
      .env('AGENTMUX_STATE_DIR', '/dev/null/x');
    const { calls } = await call.stderr(/not recorded/).json<Report>();
    expect(calls).toEqual([{ output: '.\n', code: 0 }]);
  });

  it('keeps the calls of two agents apart', async () => {
    const rig = createLabelRig();
    const inner = `${process.execPath} ${resolve('bin/agentmux-run.js')} --quiet --leftovers keep --block inner ${rig.directory}/claude 'sleep 602 > /dev/null 2>&1 & echo $!'`;
    const { calls } = await rig.claude(quiet, inner).json<Report>();
    const nested = JSON.parse(calls[0]?.output ?? '') as Report;
    const pid = Number(nested.calls[0]?.output);
    const index = joinCalls(readCalls(join(rig.stateDirectory, 'calls', 'inner'), process.getuid?.()));
    const processes = readCallProcesses([pid], platform);
    expect(labelProcesses(index, processes).get(pid)).toMatchObject({
      toolId: 'toolu_0',
      command: 'sleep 602 > /dev/null 2>&1 & echo $!',
    });
    expect(labelsOf(rig).get(pid)).toBeUndefined();
  });

  it('lists what is added with --dry-run, and adds nothing', async () => {
    const rig = createLabelRig();
    await rig
      .claude(['--dry-run'], 'hi')
      .stdout(/labels +--settings with a PreToolUse hook for Bash, CLAUDE_CODE_SHELL_PREFIX\n/)
      .run();
    const dry = await rig.claude(['--dry-run', '--json'], 'mcp').json<{ labels: string[]; environment: string[] }>();
    expect(dry).toMatchObject({ labels: [/runs no tools/.source].map(() => expect.stringContaining('runs no tools')) });
    expect(readdirSync(rig.stateDirectory)).toEqual([]);
  });

  itIf(
    canHideShell,
    'needs namespaces, and a /bin/sh that is not bash',
    'adds nothing where its scripts could not run',
    async () => {
      const { prefix } = await openNamespace('noShell');
      const rig = createRig({ prefix });
      copyFileSync('/bin/true', join(rig.workDirectory, 'claude'));
      await rig
        .run('--dry-run', '--', './claude', 'hi')
        .stdout(/labels +no labels: \/bin\/sh, by which its tool calls would be noted, is missing\n/)
        .run();
      await rig.run('--', './claude', 'hi').run();
      await rig
        .run('--nohup', '--', './claude')
        .stderr(/agentmux-run: --nohup needs a shell, and there is no/)
        .status(125)
        .run();
    },
  );

  it('prints the settings for those who wire them themselves', async () => {
    const rig = createRig();
    expect(await rig.agentmux('hook', 'claude').json()).toEqual({
      env: { CLAUDE_CODE_SHELL_PREFIX: bashwrap },
      hooks: {
        PreToolUse: [
          { matcher: 'Bash', hooks: [{ type: 'command', command: bashwrap, args: ['--hook'], timeout: 5 }] },
        ],
      },
    });
    await rig
      .agentmux('hook', 'nano')
      .status(2)
      .stderr('error: no hook is known for "nano"\nhint: agentmux hook claude\n')
      .run();
  });
});
