import { describe, expect, it } from 'vitest';
import type { Identity } from '../../src/model/identity.ts';
import type { ProcessStat } from '../../src/model/process.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { createScanTracker, scanRecord } from '../../src/trackers/scan.ts';
import { seededRandom } from '../helpers/random.ts';

interface Process {
  readonly pid: number;
  readonly ppid: number;
  readonly startTicks: number;
  readonly isOfBlock: boolean;
}

const WRAPPER = 1000;
/** The agent, which lives as long as we look. */
const ROOT = 500;
const PIDS = 12;

/**
 * A system where nobody adopts orphans, which go on naming the parent that they had, and where a pid is given away again at
 * once, unless it is kept. No process has an environment that could be read.
 */
class TinyWindows {
  readonly alive = new Map<number, Process>();
  readonly kept = new Map<number, number>();
  now = 10;

  start(ppid: number): Process | undefined {
    const pid = Array.from({ length: PIDS }, (_, index) => 10 + index).find(
      (one) => !this.alive.has(one) && !this.kept.has(one),
    );
    if (pid === undefined) return undefined;
    this.now += 1;
    const isOfBlock = ppid === ROOT || this.alive.get(ppid)?.isOfBlock === true;
    const process = { pid, ppid, startTicks: this.now, isOfBlock };
    this.alive.set(pid, process);
    return process;
  }

  /** As the table of Windows is read: a parent that is younger than its child is none. */
  table(): ProcessStat[] {
    const first = { pid: WRAPPER, ppid: 1, startTicks: 1, isOfBlock: false };
    const root = { pid: ROOT, ppid: WRAPPER, startTicks: 2, isOfBlock: true };
    return [first, root, ...this.alive.values()].map((process) => {
      const isStale = (this.alive.get(process.ppid)?.startTicks ?? 0) > process.startTicks;
      const rest = { pgid: 0, sid: 0, ttyNr: 0, tpgid: -1, state: 'S', cpuMs: 0, rssBytes: 0, comm: 'x' };
      return { ...rest, pid: process.pid, startTicks: process.startTicks, ppid: isStale ? 0 : process.ppid };
    });
  }

  keepPid = ({ pid, startTicks }: Identity): (() => void) | undefined => {
    if (pid !== ROOT && this.alive.get(pid)?.startTicks !== startTicks) return undefined;
    this.kept.set(pid, startTicks);
    return () => void this.kept.delete(pid);
  };
}

function createWorld(keepsPids: boolean) {
  const windows = new TinyWindows();
  const host = { machineId: 'm', bootId: '', pidNamespace: '' };
  const platform = {
    os: 'win32',
    host: () => host,
    readTable: () => windows.table(),
    findTag: () => undefined,
  } as Partial<Platform> as Platform;
  const wrappers = [{ pid: WRAPPER, startTicks: 1, bootId: '', pidNamespace: '' }];
  const roots = [{ pid: ROOT, startTicks: 2, bootId: '', pidNamespace: '' }];
  const tracker = createScanTracker({
    record: scanRecord([]),
    platform,
    subject: () => ({ tags: new Set(), roots, wrappers, recorded: [], sinceTicks: 1 }),
    openPids: () => ({ list: () => [], last: () => undefined, close: () => undefined }),
    ...(keepsPids && { keepPid: windows.keepPid }),
  });
  const members = () => tracker.memberPids().filter((pid) => pid !== ROOT);
  const kept = () => [...windows.kept.keys()].filter((pid) => pid !== ROOT);
  return { windows, tracker, members, kept };
}

describe('a scan that keeps pids', () => {
  it('finds the child of a member that has ended, and loses it without', () => {
    for (const keepsPids of [true, false]) {
      const { windows, members } = createWorld(keepsPids);
      const maker = windows.start(ROOT);
      expect(members()).toEqual([maker?.pid]);
      const orphan = windows.start(maker?.pid ?? 0);
      windows.alive.delete(maker?.pid ?? 0);
      expect(members()).toEqual(keepsPids ? [orphan?.pid] : []);
    }
  });

  it('lets go of a pid after the second look that misses its process, and of all in the end', () => {
    const { windows, tracker, kept } = createWorld(true);
    const [first, second] = [windows.start(ROOT), windows.start(ROOT)];
    tracker.memberPids();
    expect(kept()).toEqual([first?.pid, second?.pid]);
    windows.alive.delete(first?.pid ?? 0);
    tracker.memberPids();
    expect(kept()).toHaveLength(2);
    tracker.memberPids();
    expect(kept()).toEqual([second?.pid]);
    tracker.dispose();
    expect(windows.kept.size).toBe(0);
  });

  it('takes no process of others, and misses no child of a process that it saw: 60 random histories', () => {
    let orphans = 0;
    const wrong: string[] = [];
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = seededRandom(seed);
      const { windows, tracker } = createWorld(true);
      const known = new Set<string>();
      const nameOf = ({ pid, startTicks }: { pid: number; startTicks: number }) => `${pid}:${startTicks}`;
      /** The name of the parent of each, as it was when it was started. */
      const parents = new Map<string, string>();
      for (let step = 0; step < 120; step += 1) {
        const pids = [...windows.alive.keys()];
        const pid = pids[Math.floor(random() * pids.length)] ?? ROOT;
        const choice = random();
        if (choice < 0.45) {
          // 1 is a service, which starts what is nobody's.
          const ppid = random() < 0.2 ? ROOT : random() < 0.2 ? 1 : pid;
          const parent = windows.alive.get(ppid);
          const child = windows.start(ppid);
          if (child) parents.set(nameOf(child), parent ? nameOf(parent) : String(ppid));
        } else if (choice < 0.75) windows.alive.delete(pid);
        else {
          const found = new Set(tracker.memberPids());
          for (const process of windows.alive.values()) {
            const isKnown = known.has(nameOf(process)) || known.has(parents.get(nameOf(process)) ?? '');
            const isFound = found.has(process.pid);
            if (isFound ? !process.isOfBlock : isKnown) wrong.push(`seed ${seed}, step ${step}: ${nameOf(process)}`);
            if (isFound) known.add(nameOf(process));
            if (isKnown && !windows.alive.has(process.ppid)) orphans += 1;
          }
        }
      }
      tracker.dispose();
      expect(windows.kept.size).toBe(0);
    }
    expect(wrong).toEqual([]);
    expect(orphans).toBeGreaterThan(100);
  });
});
