import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bins, createRig } from '../helpers/cli.ts';
import { anything } from '../helpers/cli-call.ts';
import { untilSeen } from '../helpers/reader.ts';
import { itIf } from '../helpers/skip.ts';

const hasPython = spawnSync('python3', ['--version']).status === 0;
const hasPrlimit = existsSync('/usr/bin/prlimit') || existsSync('/bin/prlimit');

describe('agentmux-run hands over', () => {
  it('every word behind the first operand, and eats one leading --', async () => {
    const rig = createRig();
    const words = ['', 'a b', '*', "'", '"$HOME"', 'x\ny\n', '--', '-p', '--block', 'z', '--version'];
    const { stdout } = await rig
      .run('printf', '<%s>', ...words)
      .stdout(anything)
      .run();
    expect(stdout).toBe(words.map((word) => `<${word}>`).join(''));
    await rig.run('--', 'printf', '%s', '--').stdout('--').run();
  });

  itIf(hasPython, 'needs python3', 'arguments, names and values that are no UTF-8, byte for byte', async () => {
    const rig = createRig();
    // Python gives the wrapper its bytes and reads back what came through.
    const script = `
import os, subprocess, sys
argv = [b"\\xff\\xfe", b"caf\\xe9\\n\\n", b"", b"plain"]
env = {os.fsencode(k): os.fsencode(v) for k, v in os.environ.items()}
env.update({b"RAW": b"\\x80\\n", b"bad.name": b"1", b"N\\xffM": b"v", b"BASH_FUNC_f%%": b"() { :; }"})
out = subprocess.run([sys.argv[1], sys.argv[2], "cat", "/proc/self/cmdline", "/proc/self/environ", *argv], env=env, capture_output=True)
probe = subprocess.run([sys.argv[1], sys.argv[2], "env", "-0"], env=env, capture_output=True).stdout.split(b"\\0")[:-1]
expected = sorted(b"%s=%s" % entry for entry in env.items())
got = sorted(entry for entry in probe if not entry.startswith((b"AGENTMUX_BLOCKID=", b"AGENTMUX_TAG=", b"AGENTMUX_CALLS=")))
print(out.stdout.split(b"\\0")[3:7] == argv, expected == got, len(probe) - len(got))
`;
    const result = rig.command('python3', '-c', script, process.execPath, bins.agentmuxRun);
    await result.stdout('True True 3\n').run();
  });

  it('the environment with nothing but its own three variables added', async () => {
    const rig = createRig();
    const { stdout } = await rig
      .run('env')
      .env('EMPTY', '')
      .env('NL', 'b\nc')
      .env('npm_config_a-b', '1')
      .stdout(anything)
      .run();
    const expected = { ...rig.env, EMPTY: '', NL: 'b\nc', 'npm_config_a-b': '1' };
    const lines = Object.entries(expected).map(([name, value]) => `${name}=${value}\n`);
    for (const line of lines) expect(stdout).toContain(line);
    const rest = lines.reduce((text, line) => text.replace(line, ''), stdout);
    expect(rest).toMatch(
      /^AGENTMUX_BLOCKID=env-[a-z0-9]{4}\nAGENTMUX_TAG=[0-9a-f]{32}\nAGENTMUX_CALLS=\/.+\/calls\/env-[a-z0-9]{4}\n$/,
    );
  });

  it('a directory that was removed', async () => {
    const rig = createRig();
    const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
    await rig
      .command('sh', '-c', script, process.execPath, bins.agentmuxRun, '--block', 'gone', '/bin/echo', 'runs')
      .stdout('runs\n')
      .run();
    await rig
      .agentmux('blocks', '--block', 'gone', '--json')
      .stdout(/gone \(deleted\)/)
      .run();
  });

  it('the directory, the mask and its own process group', async () => {
    const rig = createRig();
    const script = `cd ${rig.directory} && umask 027 && exec "$0" "$@"`;
    const show = 'pwd; umask; test "$(ps -o pgid= -p $$)" = "$(ps -o pgid= -p $PPID)" && echo same';
    await rig
      .command('sh', '-c', script, process.execPath, bins.agentmuxRun, 'sh', '-c', show)
      .stdout(`${rig.directory}\n0027\nsame\n`)
      .run();
  });

  itIf(hasPrlimit, 'needs prlimit', 'the soft limit of open files, which Node raises', async () => {
    const rig = createRig();
    const { stdout } = await rig.command('sh', '-c', 'ulimit -Hn').stdout(anything).run();
    const soft = Math.min(256, Number(stdout.trim()) - 1);
    const script = `ulimit -Sn ${soft}; "$0" "$@"; exit $?`;
    await rig
      .command('sh', '-c', script, process.execPath, bins.agentmuxRun, 'sh', '-c', 'ulimit -Sn; echo "$0"', 'name')
      .stdout(`${soft}\nname\n`)
      .run();
  });

  it('its input to the last byte, its end included', async () => {
    const rig = createRig();
    const bytes = Buffer.alloc(3_000_000, 'agentmux\0\xff');
    const { stdoutBytes } = await rig.run('cat').stdin(bytes).stdout(anything).run();
    expect(stdoutBytes.equals(bytes)).toBe(true);
  });

  it('its output whole when the command exits right after writing', async () => {
    const script = 'process.stdout.write("x".repeat(2_000_000), () => process.exit(3))';
    const { stdout } = await createRig().run(process.execPath, '-e', script).stdout(anything).status(3).run();
    expect(stdout).toHaveLength(2_000_000);
  });

  it('files and sockets that were open, pipes only by --pass-fd, and nothing of its own', async () => {
    const rig = createRig();
    const show = 'for fd in 5 7; do readlink /proc/self/fd/$fd || echo closed; done';
    const call = (...options: string[]) => {
      const open = 'exec 5</etc/hostname 7> >(cat >/dev/null) && exec "$@"';
      return rig.command('bash', '-c', open, 'bash', process.execPath, bins.agentmuxRun, ...options, 'sh', '-c', show);
    };
    await call().stdout('/etc/hostname\nclosed\n').run();
    await call('--pass-fd', '7')
      .stdout(/^\/etc\/hostname\npipe:\[\d+\]\n$/)
      .run();
    // Compared with a start by Node itself, which has descriptors of its own to hide too.
    const list = 'ls /proc/self/fd';
    const spawned = `require('child_process').spawnSync('sh', ['-c', '${list}'], { stdio: 'inherit' })`;
    const { stdout } = await rig.command(process.execPath, '-e', spawned).stdout(anything).run();
    await rig.run('sh', '-c', list).stdout(stdout).run();
  });

  it.each([
    ['stdin', '<&-'],
    ['stdout', '>&-'],
    ['stderr', '2>&-'],
    ['all three', '<&- >&- 2>&-'],
  ])('works with %s closed at the start', async (_title, redirection) => {
    const rig = createRig();
    const script = `"$0" "$@" ${redirection}; echo "rc=$?" >out`;
    await rig.command('sh', '-c', script, process.execPath, bins.agentmuxRun, 'sh', '-c', 'exit 6').run();
    await rig.command('cat', 'out').stdout('rc=6\n').run();
  });

  it('works without HOME, without a terminal and under timeout', async () => {
    const rig = createRig();
    await rig.run('sh', '-c', 'exit 5').env('HOME', undefined).status(5).run();
    await rig.command('timeout', '20', process.execPath, bins.agentmuxRun, 'sh', '-c', 'exit 4').status(4).run();
    await rig.command('setsid', '-w', process.execPath, bins.agentmuxRun, 'sh', '-c', 'exit 3').status(3).run();
  });

  it('starts with SIGHUP ignored by --nohup', async () => {
    await createRig().run('--nohup', 'sh', '-c', 'kill -HUP $$; echo alive').stdout('alive\n').run();
  });

  it('does not keep the output of a command open that ends before what it left', async () => {
    const rig = createRig();
    const started = performance.now();
    const child = spawn(
      process.execPath,
      [bins.agentmuxRun, '--leftovers', 'kill', 'sh', '-c', `sleep 60 & ${untilSeen}echo done`],
      {
        env: rig.env,
        cwd: rig.workDirectory,
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    const closed = new Promise((resolve) => child.once('close', resolve));
    expect(await closed).toBe(0);
    expect(performance.now() - started).toBeLessThan(20_000);
  });
});
