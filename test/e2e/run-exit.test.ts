import { describe, expect, it } from 'vitest';
import { createRig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { hasNamespaces, namespaceReason } from '../helpers/namespace.ts';
import { isNativeReader, notByPs } from '../helpers/reader.ts';
import { describeIf, itIf } from '../helpers/skip.ts';

describe('the exit of agentmux-run', () => {
  it.each([0, 1, 2, 123, 124, 125, 126, 127, 130, 255])('is the code %i of its command', async (code) => {
    await createRig().run('sh', '-c', `exit ${code}`).status(code).run();
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'is a death by %s after one by it, so that shells break their loops',
    async (signal) => {
      await createRig()
        .run('sh', '-c', `kill -${signal.slice(3)} $$`)
        .signal(signal)
        .run();
    },
  );

  it.each([
    ['HUP', 129],
    ['QUIT', 131],
    ['ABRT', 134],
    ['KILL', 137],
    ['USR1', 138],
    ['SEGV', 139],
    ['USR2', 140],
    ['PIPE', 141],
    ['ALRM', 142],
  ])('is 128+n after a death by %s', async (signal, code) => {
    await createRig().run('sh', '-c', `kill -${signal} $$`).status(code).run();
  });

  it('is not changed by other children that end before, with or after it', async () => {
    const script = '(exit 9) & sh -c "kill -9 \\$\\$" & setsid sh -c "exit 3" & sleep 0.2; exit 5';
    await createRig().run('sh', '-c', script).stderr(anything).status(5).run();
  });

  it('says in its own name why nothing was started, and leaves no record', async () => {
    const rig = createRig();
    const cases: readonly (readonly [number, RegExp, string[]])[] = [
      [127, /^agentmux-run: command "no-such-command" was not found on PATH\n$/, ['no-such-command', '-p']],
      [127, /^agentmux-run: command "\/no\/such" was not found\n$/, ['/no/such']],
      [126, /^agentmux-run: "\/tmp" is a directory/, ['/tmp']],
      [126, /interpreter "\/no\/such\/interp"/, ['./script']],
      [125, /^agentmux-run: no command was given\n/, []],
      [125, /^agentmux-run: unknown option '--nope'\n/, ['--nope', 'true']],
      [125, /^agentmux-run: --leftovers is one of/, ['--leftovers', 'x', 'true']],
      [125, /^agentmux-run: --pass-fd 77: that descriptor is not open/, ['--pass-fd', '77', 'true']],
      [125, /^agentmux-run: "\.\.\/x" is no block name/, ['--block', '../x', 'true']],
      [125, /^agentmux-run: --require job: not to be had here/, ['--require', 'job', 'true']],
    ];
    await rig.command('sh', '-c', "printf '#!/no/such/interp\\n' >script; chmod +x script").run();
    for (const [status, message, args] of cases)
      await rig
        .run(...args)
        .stderr(message)
        .status(status)
        .run();
    await rig
      .agentmux('blocks', '--all')
      .stderr(/^no blocks/)
      .run();
  });

  it('is 124 if --timeout ended the command, however it took that', async () => {
    const rig = createRig();
    await rig.run('--timeout', '300ms', '--quiet', 'sleep', '100').status(124).run();
    const stubborn = 'trap "" TERM; sleep 100 & while :; do sleep 100; done';
    const forced = rig.run('--timeout', '300ms', '--grace', '200ms', '--quiet', 'sh', '-c', stubborn).status(124);
    // Where they are not killed in one stroke the shell may live to say that its child was.
    await forced.stderr(/^(?:Killed\n)?$/).run();
    await rig.run('--timeout', '20s', 'sh', '-c', 'exit 3').status(3).run();
  });

  it('prints help and version on stdout', async () => {
    const rig = createRig();
    const { stdout } = await rig
      .run('--help')
      .stdout(/^Usage: agentmux-run \[options\] \[--\] COMMAND/)
      .run();
    expect(stdout.match(/^ {2}agentmux-run /gm)).toHaveLength(5);
    for (const code of [123, 124, 125, 126, 127]) expect(stdout).toContain(`${code}  `);
    await rig
      .run('--version')
      .stdout(/^\d+\.\d+\.\d+\n$/)
      .run();
  });

  it('is the same by "agentmux run"', async () => {
    const rig = createRig();
    await rig.agentmux('run', '--', 'sh', '-c', 'exit 7').status(7).run();
    await rig
      .agentmux('run', 'no-such-command')
      .stderr(/^agentmux-run: command/)
      .status(127)
      .run();
    await rig.agentmux('run', 'sh', '-c', 'kill -TERM $$').signal('SIGTERM').run();
  });
});

describeIf(hasNamespaces, namespaceReason, 'agentmux-run as the first process of a pid namespace', () => {
  const first = ['unshare', '-p', '-f', '-m', '--mount-proc', '--kill-child', '--propagation', 'private'];

  it('passes codes on, and tells deaths by signals as 128+n', async () => {
    await createRig({ prefix: first }).run('sh', '-c', 'exit 3').status(3).run();
    await createRig({ prefix: first }).run('sh', '-c', 'kill -TERM $$').status(143).run();
    await createRig({ prefix: first }).run('sh', '-c', 'kill -KILL $$').status(137).run();
  });

  itIf(isNativeReader, notByPs('orphans are not adopted'), 'reaps what is left to it', async () => {
    const script =
      'for i in 1 2 3 4 5 6 7 8; do sh -c "sleep 0.05 & exit 0"; done; sleep 1; grep -l "^State:.Z" /proc/[0-9]*/status; true';
    await createRig({ prefix: first }).run('sh', '-c', script).stderr(anything).run();
  });

  it('forwards TERM, which the kernel would drop, and ends its tree', async () => {
    const rig = createRig({ prefix: first });
    const script = 'trap "exit 9" TERM; setsid sleep 100 & (sleep 1; kill -TERM 1) & while :; do sleep 0.1; done';
    await rig.run('--grace', '2s', 'sh', '-c', script).stderr(anything).status(9).run();
  });
});
