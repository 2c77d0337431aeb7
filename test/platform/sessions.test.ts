import { describe, expect, it } from 'vitest';
import type { ProcessStat } from '../../src/model/process.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { readAllSessions, readOwnSessions } from '../../src/platform/sessions.ts';

type Told = Pick<ProcessStat, 'pid' | 'ppid' | 'startTicks' | 'comm' | 'sid'>;

/** As much of a platform as is asked for. */
function platformOf(os: Platform['os'], table: readonly Told[]): Platform {
  return { os, readStat: (pid: number) => table.find((one) => one.pid === pid) } as Partial<Platform> as Platform;
}

const windows = [
  { pid: 4, ppid: 0, startTicks: 1, comm: 'explorer.exe', sid: 0 },
  { pid: 8, ppid: 4, startTicks: 10, comm: 'powershell.exe', sid: 0 },
  { pid: 12, ppid: 8, startTicks: 20, comm: 'cmd.exe', sid: 0 },
  { pid: 16, ppid: 12, startTicks: 30, comm: 'node.exe', sid: 0 },
  { pid: 20, ppid: 8, startTicks: 40, comm: 'node.exe', sid: 0 },
];

describe('the sessions of a process', () => {
  it('are its own and those above it', () => {
    const platform = platformOf('linux', [
      { pid: 2, ppid: 1, startTicks: 1, comm: 'bash', sid: 2 },
      { pid: 3, ppid: 2, startTicks: 2, comm: 'node', sid: 2 },
      { pid: 4, ppid: 3, startTicks: 3, comm: 'node', sid: 4 },
    ]);
    expect(readOwnSessions(platform, 4)).toEqual([4]);
    expect(readAllSessions(platform, 4)).toEqual([4, 2]);
    expect(readOwnSessions(platform, 99)).toEqual([]);
  });

  it('are the shells above it on Windows, each by its start, and no desktop', () => {
    const platform = platformOf('win32', windows);
    expect(readAllSessions(platform, 16)).toEqual([20, 10]);
    // Started by another program of the same shell.
    expect(readOwnSessions(platform, 20)).toEqual([10]);
  });

  it('is the program that started it where no shell did', () => {
    const program = { pid: 8, ppid: 4, startTicks: 10, comm: 'Code.exe', sid: 0 };
    const platform = platformOf('win32', [...windows.slice(0, 1), program, ...windows.slice(4)]);
    expect(readOwnSessions(platform, 20)).toEqual([10]);
  });

  it('end at a parent that is younger, since its pid was given away', () => {
    const reused = windows.map((one) => (one.pid === 8 ? { ...one, startTicks: 25 } : one));
    expect(readAllSessions(platformOf('win32', reused), 16)).toEqual([20]);
  });
});
