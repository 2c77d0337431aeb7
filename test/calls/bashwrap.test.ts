import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCalls } from '../../src/calls/read-calls.ts';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import { describeIf, isLinux, isRoot, itIf } from '../helpers/skip.ts';

const bashwrap = resolve('bin/agentmux-bashwrap');
const has = (name: string) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0;

const asNobody = ['--reuid=65534', '--regid=65534', '--clear-groups', '--'];
const canBecomeNobody = isRoot && spawnSync('setpriv', [...asNobody, 'true']).status === 0;

/** Shells that can be the `/bin/sh` of a system. */
const shells: readonly (readonly [name: string, argv: readonly string[]])[] = [
  ['dash', ['dash']],
  ['bash', ['bash', '--posix']],
  ['busybox', ['busybox', 'sh']],
];

let directory: string;
let calls: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agentmux-bashwrap-'));
  calls = join(directory, 'calls dir');
  mkdirSync(calls, { mode: 0o700 });
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const base = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', SHELL: '/bin/bash', HOME: '/nonexistent' };
const tool = {
  ...base,
  AI_AGENT: 'claude-code_2_agent',
  CLAUDE_PID: '1',
  CLAUDE_CODE_SESSION_ID: 's1',
  CLAUDE_CODE_EXECPATH: '/c',
};
const server = {
  ...base,
  AI_AGENT: 'claude-code_2_harness',
  CLAUDE_PROJECT_DIR: '/p',
  CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: 's1',
};
const hook = { ...base, AI_AGENT: 'claude-code_2_harness', CLAUDE_PROJECT_DIR: '/p', CLAUDE_PID: '1' };
const injected = (env: Record<string, string>) => ({
  ...env,
  AGENTMUX_CALLS: calls,
  CLAUDE_CODE_SHELL_PREFIX: bashwrap,
});

/** As claude gives it to the shell. */
const frame = (command: string) =>
  `source /h/.claude/shell-snapshots/snapshot-bash-1-x.sh 2>/dev/null || true && eval '${command.replaceAll("'", `'"'"'`)}' < /dev/null && pwd -P >| /dev/null`;

for (const [name, argv] of shells) {
  describeIf(isLinux && has(name), 'this shell is not installed', `agentmux-bashwrap in ${name}`, () => {
    const [program = '', ...options] = argv;
    const run = (args: readonly string[], env: Record<string, string>, input: string | Buffer = '') =>
      spawnSync(program, [...options, bashwrap, ...args], { env, input, cwd: directory });

    it('runs the command with its exit code, output and errors', () => {
      const { status, stdout, stderr } = run(['echo out; echo err >&2; exit 7'], injected(tool));
      expect([status, stdout.toString(), stderr.toString()]).toEqual([7, 'out\n', 'err\n']);
    });

    it('notes pid, start, session and command of a Bash call, for its owner alone', () => {
      const { stdout } = run([frame("echo $$ 'a b'")], injected(tool));
      const [record] = readCalls(calls, process.getuid?.()).shells;
      expect(record).toMatchObject({ sessionId: 's1', agentPid: 1, command: "echo $$ 'a b'" });
      expect(stdout.toString()).toBe(`${record?.pid} a b\n`);
      expect(record?.startTicks).toBeGreaterThan(0);
      // Ours; it is 0 in a pid namespace whose session was led from outside.
      expect(record?.sid).toBe(createLinuxPlatform().readStat(process.pid)?.sid);
      expect(statSync(join(calls, record?.name ?? '')).mode & 0o777).toBe(0o600);
    });

    it('hands on a command of any bytes', () => {
      const bytes = Buffer.concat([
        Buffer.from("printf %s '"),
        Buffer.from([0xff, 0x80, 0x0a, 0x5c, 0x22, 0x24, 0x60, 0x0a]),
        Buffer.from("'"),
      ]);
      writeFileSync(join(directory, 'command'), bytes);
      const script = `exec "$@" "$(cat command)"`;
      const { stdout } = spawnSync('bash', ['-c', script, 'x', ...argv, bashwrap], {
        env: injected(tool),
        cwd: directory,
      });
      expect(stdout.toString('hex')).toBe(bytes.subarray(11, -1).toString('hex'));
      expect(readdirSync(calls)).toHaveLength(1);
    });

    it('is exact for commands of any text', () => {
      const text = fc.string({ unit: 'binary', minLength: 1 }).filter((one) => !one.includes('\0'));
      fc.assert(
        fc.property(text, (value) => {
          const { stdout } = run([`printf %s '${value.replaceAll("'", `'"'"'`)}'`], injected(tool));
          expect(stdout.toString()).toBe(value);
        }),
        { numRuns: 15 },
      );
    });

    it('leaves stdin, descriptors and umask as they are', () => {
      const script = 'umask; cat; for f in /proc/self/fd/*; do basename $f; done';
      const before = spawnSync('bash', ['-c', `umask 027; exec bash -c '${script}'`], {
        env: base,
        input: 'in',
      }).stdout;
      const words = [...argv, bashwrap, script].map((word) => `'${word}'`).join(' ');
      const after = spawnSync('bash', ['-c', `umask 027; exec ${words}`], { env: injected(tool), input: 'in' }).stdout;
      expect(after.toString()).toBe(before.toString());
    });

    it('leaves the environment as it is, but for the name of the record', () => {
      const odd = { ...tool, IFS: 'x', OPTIND: '9', line: '1' };
      const env = { ...odd, AGENTMUX_CALLS: calls };
      // A busybox counts its own start in SHLVL and never takes it back.
      const isKept = (entry: string) => name !== 'busybox' || !entry.startsWith('SHLVL=');
      const read = (output: Buffer) => output.toString().split('\0').filter(isKept).sort();
      const plain = read(spawnSync('/bin/bash', ['-c', 'env -0'], { env, cwd: directory }).stdout);
      const ours = read(run(['env -0'], injected(odd)).stdout);
      const added = `AGENTMUX_CALL=${calls}/${readdirSync(calls)[0]}`;
      expect(ours.filter((entry) => entry !== added)).toEqual(plain);
    });

    it('keeps the pid', async () => {
      const child = spawn(program, [...options, bashwrap, 'echo $$; true'], { env: injected(tool) });
      const [printed] = await child.stdout.toArray();
      expect(String(printed).trim()).toBe(String(child.pid));
    });

    it('does not write over the record of a pid that was in use before', () => {
      const script = `touch "$AGENTMUX_CALLS/call.$$"; exec ${argv.join(' ')} '${bashwrap}' 'echo $$ $AGENTMUX_CALL'`;
      const [pid, record] = spawnSync('bash', ['-c', script], { env: injected(tool) })
        .stdout.toString()
        .trim()
        .split(' ');
      expect(`${record} ${readdirSync(calls).sort()}`).toContain(`call.${pid}.1`);
    });

    it.each<[string, () => Record<string, string>]>([
      ['AGENTMUX_CALLS is not set', () => ({ ...tool })],
      ['AGENTMUX_CALLS is empty', () => ({ ...tool, AGENTMUX_CALLS: '' })],
      ['the directory is missing', () => ({ ...tool, AGENTMUX_CALLS: join(directory, 'none') })],
      ['the directory is a file', () => ({ ...tool, AGENTMUX_CALLS: bashwrap })],
      ['the disk is full', () => ({ ...tool, AGENTMUX_CALLS: '/dev/full' })],
    ])('runs the command in silence if %s', (_, env) => {
      const { status, stdout, stderr } = run(['echo $AGENTMUX_CALL; exit 5'], env());
      expect([status, stdout.toString(), stderr.toString()]).toEqual([5, '\n', '']);
      const hooked = run(['--hook'], env(), 'x'.repeat(100_000));
      expect([hooked.status, hooked.stdout.length, hooked.stderr.length]).toEqual([0, 0, 0]);
    });

    it('runs the command in silence if no file may be written', () => {
      const limited = `ulimit -f 0; exec ${argv.join(' ')} '${bashwrap}' "$@"`;
      const command = spawnSync('bash', ['-c', limited, 'x', 'echo ok; exit 5'], { env: injected(tool) });
      expect([command.status, command.stdout.toString(), command.stderr.toString()]).toEqual([5, 'ok\n', '']);
      const hooked = spawnSync('bash', ['-c', limited, 'x', '--hook'], { env: injected(hook), input: 'y' });
      expect([hooked.status, hooked.stdout.length, hooked.stderr.length]).toEqual([0, 0, 0]);
    });

    it('copies the input of a hook, whatever it is, and answers nothing', () => {
      const input = Buffer.from([...Array(70_000).keys()].map((i) => i & 0xff));
      const { status, stdout, stderr } = run(['--hook'], injected(hook), input);
      expect([status, stdout.length, stderr.length]).toEqual([0, 0, 0]);
      const [name = ''] = readdirSync(calls);
      expect(name).toMatch(/^hook\.\d+$/);
      expect(readFileSync(join(calls, name)).equals(input)).toBe(true);
      expect(statSync(join(calls, name)).mode & 0o777).toBe(0o600);
    });

    it('is the hook without arguments too', () => {
      expect(run([], injected(hook), '{}').status).toBe(0);
      expect(readdirSync(calls)).toHaveLength(1);
    });

    it.each([
      ['a hook', hook],
      ['an MCP server', server],
    ])('notes nothing of %s', (_, env) => {
      const { status, stdout } = run(["sh -c 'echo $AGENTMUX_CALL; exit 3'"], injected(env));
      expect([status, stdout.toString()]).toEqual([3, '\n']);
      expect(readdirSync(calls)).toEqual([]);
    });

    it('runs a hook as sh does, and a server without a shell around it', () => {
      expect(run(['a=1; echo $a $0'], injected(hook)).stdout.toString()).toBe('1 /bin/sh\n');
      const { stdout } = run(["sh -c 'echo $PPID' 'a b'"], injected(server));
      expect(stdout.toString()).toBe(`${process.pid}\n`);
    });

    it('takes a claude inside a hook or server of another for what it is', () => {
      run([frame('true')], injected({ ...tool, CLAUDE_PROJECT_DIR: '/p', CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: 's0' }));
      expect(readCalls(calls, process.getuid?.()).shells).toHaveLength(1);
    });

    describe("with a prefix of the user's", () => {
      const prefix = () => join(directory, 'my prefix');
      beforeEach(() => {
        writeFileSync(
          prefix(),
          '#!/bin/sh\nprintf "[%s]" "$@" "$CLAUDE_CODE_SHELL_PREFIX"\nshift $(($# - 1))\nexec bash -c "$1"\n',
        );
        chmodSync(prefix(), 0o755);
      });

      it.each([
        ['a path', '', (path: string) => `[echo hi][${path}]hi\n`],
        ['a path with arguments', " --tag 'a  b' -x", (path: string) => `[-x][echo hi][${path} --tag 'a  b' -x]hi\n`],
        ['one argument', ' --tag', (path: string) => `[--tag][echo hi][${path} --tag]hi\n`],
      ])('runs it as claude does: %s', (_, args, expected) => {
        const value = prefix() + args;
        const path = args.startsWith(" --tag 'a") ? `${prefix()} --tag 'a  b'` : prefix();
        if (path !== prefix()) {
          writeFileSync(path, readFileSync(prefix()));
          chmodSync(path, 0o755);
        }
        const { stdout } = run(['echo hi'], { ...injected(tool), AGENTMUX_SHELL_PREFIX: value });
        expect(stdout.toString()).toBe(expected(prefix()));
        expect(readdirSync(calls)).toHaveLength(1);
      });

      it('runs it for servers as one path', () => {
        const { stdout } = run(['echo hi'], { ...injected(server), AGENTMUX_SHELL_PREFIX: prefix() });
        expect(stdout.toString()).toBe(`[echo hi][${prefix()}]hi\n`);
      });

      it('never runs itself', () => {
        const { stdout } = run(['echo $CLAUDE_CODE_SHELL_PREFIX.'], {
          ...injected(tool),
          AGENTMUX_SHELL_PREFIX: bashwrap,
        });
        expect(stdout.toString()).toBe('.\n');
      });
    });

    it.each([
      ['the one of the snapshot', frame('echo $0'), { SHELL: '/bin/zsh' }, '/bash'],
      ['SHELL', 'echo $0', { SHELL: '/bin/bash' }, '/bin/bash'],
      ['bash where SHELL is none of claude’s', 'echo $0', { SHELL: '/usr/bin/fish' }, 'bash'],
    ])('uses the shell that the string is for: %s', (_, command, env, expected) => {
      expect(run([command], { ...injected(tool), ...env }).stdout.toString()).toContain(expected);
    });
  });
}

describeIf(isLinux, 'Linux only', 'agentmux-bashwrap as an ordinary user', () => {
  itIf(
    canBecomeNobody,
    'needs root, and setpriv of util-linux',
    'is silent in a directory that it may not write',
    () => {
      chmodSync(directory, 0o755);
      const nobody = [...asNobody, bashwrap];
      const command = spawnSync('setpriv', [...nobody, 'echo ok; exit 5'], { env: injected(tool) });
      expect([command.status, command.stdout.toString(), command.stderr.toString()]).toEqual([5, 'ok\n', '']);
      const hooked = spawnSync('setpriv', [...nobody, '--hook'], { env: injected(hook), input: '{}' });
      expect([hooked.status, hooked.stdout.length, hooked.stderr.length]).toEqual([0, 0, 0]);
      expect(existsSync(calls) && readdirSync(calls)).toEqual([]);
    },
  );

  describe('the prefix', () => {
    itIf(has('strace'), 'strace is not installed', 'starts no process of its own', () => {
      const { stderr } = spawnSync('strace', ['-f', '-e', 'trace=process', bashwrap, ':'], { env: injected(tool) });
      expect(stderr.toString()).not.toMatch(/\b(clone3?|v?fork)\(/);
    });
  });
});
