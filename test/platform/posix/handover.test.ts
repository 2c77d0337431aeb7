import { describe, expect, it } from 'vitest';
import type { FdKind, OpenFd } from '../../../src/platform/linux/fds.ts';
import { buildAgentCommand } from '../../../src/platform/posix/agent-command.ts';
import { selectFds, toStdio } from '../../../src/platform/posix/handover.ts';

const open = (fd: number, kind: FdKind): OpenFd => ({ fd, kind, target: '' });

describe('selectFds', () => {
  it('hands on files, sockets and terminals, but neither pipes nor what is our own', () => {
    const fds = [open(3, 'file'), open(4, 'socket'), open(5, 'tty'), open(6, 'pipe'), open(7, 'other')];
    expect(selectFds(fds, [])).toEqual([3, 4, 5]);
  });

  it('hands on a pipe that was asked for', () => {
    expect(selectFds([open(3, 'file'), open(9, 'pipe')], [9])).toEqual([3, 9]);
  });

  it('refuses a descriptor that is not open', () => {
    expect(() => selectFds([], [4])).toThrow(expect.objectContaining({ exitCode: 125 }));
  });
});

describe('toStdio', () => {
  it('keeps every descriptor under its own number', () => {
    expect(toStdio([])).toEqual(['inherit', 'inherit', 'inherit']);
    expect(toStdio([4, 7])).toEqual(['inherit', 'inherit', 'inherit', 'ignore', 4, 'ignore', 'ignore', 7]);
  });
});

describe('buildAgentCommand', () => {
  const input = {
    argv: ['tool', '-x'].map((word) => Buffer.from(word)),
    executable: Buffer.from('/opt/tool'),
    environment: ['A=1', 'AGENTMUX_TAG=old'].map((entry) => Buffer.from(entry)),
    added: { AGENTMUX_TAG: 'new' },
    nohup: false,
    openFiles: undefined,
    sh: '/bin/sh',
    env: '/usr/bin/env',
    prlimit: '/usr/bin/prlimit',
  };

  it('starts the program by itself under the name that was typed', () => {
    expect(buildAgentCommand(input)).toEqual({
      file: '/opt/tool',
      argv0: 'tool',
      args: ['-x'],
      env: { A: '1', AGENTMUX_TAG: 'new' },
      detour: 'none',
    });
  });

  it('gives the soft limit back by prlimit, and goes without where there is none', () => {
    expect(buildAgentCommand({ ...input, openFiles: 1024 })).toMatchObject({
      file: '/usr/bin/prlimit',
      args: ['--nofile=1024:', '--', 'tool', '-x'],
      detour: 'prlimit',
    });
    expect(buildAgentCommand({ ...input, openFiles: 1024, prlimit: undefined }).detour).toBe('none');
  });

  it.each([
    ['an argument', { argv: [Buffer.from('tool'), Buffer.from([0xff])] }],
    ['a variable', { environment: [Buffer.from('A=\xff', 'latin1')] }],
    ['the path of the program', { executable: Buffer.from('/opt/\xff', 'latin1') }],
    ['an ignored SIGHUP', { nohup: true }],
  ])('goes through sh for %s that a spawn cannot give', (_title, change) => {
    expect(buildAgentCommand({ ...input, ...change }).detour).toBe('sh');
    expect(() => buildAgentCommand({ ...input, ...change, sh: undefined })).toThrow(/needs a shell, and there is no/);
  });
});
