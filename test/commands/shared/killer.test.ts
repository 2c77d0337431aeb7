import { describe, expect, it } from 'vitest';
import { findKiller } from '../../../src/commands/shared/killer.ts';
import type { Platform } from '../../../src/platform/platform.ts';

const table = [
  { pid: 10, ppid: 1, startTicks: 1 },
  { pid: 20, ppid: 10, startTicks: 2 },
  { pid: 30, ppid: 20, startTicks: 3 },
];

function ancestorsOf(pid: number, processes: typeof table): number[] {
  const readStat = (one: number) => processes.find((stat) => stat.pid === one);
  const platform = { readStat } as Partial<Platform> as Platform;
  return [...findKiller(platform, pid, []).ancestors];
}

describe('findKiller', () => {
  it('protects all that runs us, whether it can be looked at or not', () => {
    expect(ancestorsOf(30, table)).toEqual([20, 10, 1]);
  });

  it('protects nobody who has the pid of a parent that has gone', () => {
    const reused = table.map((stat) => (stat.pid === 10 ? { ...stat, startTicks: 9 } : stat));
    expect(ancestorsOf(30, reused)).toEqual([20]);
  });

  it("ends where processes are each other's parents", () => {
    const circle = [
      { pid: 20, ppid: 30, startTicks: 3 },
      { pid: 30, ppid: 20, startTicks: 3 },
    ];
    expect(ancestorsOf(30, circle).sort()).toEqual([20, 30]);
  });
});
