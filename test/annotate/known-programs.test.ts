import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noteOnProgram } from '../../src/annotate/known-programs.ts';

const note = (exe: string | undefined, argv: readonly string[], comm?: string) => noteOnProgram({ exe, argv, comm });

describe('noteOnProgram', () => {
  it.each<[string, string | undefined, readonly string[], RegExp]>([
    [
      'gradle',
      '/usr/lib/jvm/bin/java',
      ['java', '-cp', 'x.jar', 'org.gradle.launcher.daemon.bootstrap.GradleDaemon', '8.1'],
      /^persistent build daemon/,
    ],
    ['a renamed gradle daemon', '/usr/bin/sleep', ['gradle-daemon', '300'], /^persistent build daemon/],
    ['bazel', '/usr/lib/jvm/bin/java', ['bazel(app)', '--batch_cpu_scheduling'], /bazel shutdown/],
    ['watchman', '/usr/bin/watchman', ['/usr/bin/watchman', '--foreground'], /^persistent file watcher/],
    ['nx', '/usr/bin/node', ['node', '/app/node_modules/nx/src/daemon/server/start.js'], /nx daemon/],
    ['docker', '/usr/bin/docker', ['docker', 'run', 'x'], /^hands work to dockerd: containers are not stopped$/],
    ['systemd-run', undefined, ['systemd-run', '--user', 'x'], /^hands work to systemd/],
    ['at', '/usr/bin/at', ['at', 'now'], /^hands work to atd/],
    [
      'a program of Windows below WSL',
      '/init',
      ['/init', '/mnt/c/Windows/System32/notepad.exe', 'notepad.exe', 'a.txt'],
      /^Windows program of WSL interop: a kill ends the Linux side only/,
    ],
    ['ssh', '/usr/bin/ssh', ['ssh', 'host'], /^works on another host/],
    ['SCREEN', '/usr/bin/screen', ['SCREEN', '-dmS', 'x'], /^screen server/],
    ['screen', '/usr/bin/screen', ['screen', '-r'], /^hands work to a screen server/],
  ])('knows %s', (_, exe, argv, expected) => {
    expect(note(exe, argv)).toMatch(expected);
  });

  it('tells the server of tmux from its clients', () => {
    expect(note('/usr/bin/tmux', ['tmux', 'new-session', '-d'], 'tmux: server')).toMatch(/^tmux server/);
    expect(note('/usr/bin/tmux', ['tmux', 'attach'], 'tmux: client')).toMatch(/^hands work to a tmux server/);
  });

  it.each<[string, readonly string[]]>([
    ['/usr/bin/node', ['node', 'docker.js']],
    ['/usr/bin/vim', ['vim', 'ssh']],
    ['/usr/bin/podman', ['podman', 'ps']],
    ['/usr/bin/java', ['java', '-jar', 'gradle.jar']],
  ])('says nothing of %s %j', (exe, argv) => {
    expect(note(exe, argv)).toBeUndefined();
  });

  it('never throws and never quotes what it read', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' })), fc.string(), (argv, comm) => {
        const said = noteOnProgram({ exe: argv[0], argv, comm });
        expect(said === undefined || /^[\x20-\x7e]+$/.test(said)).toBe(true);
      }),
    );
  });
});
