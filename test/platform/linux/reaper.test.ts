import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLinuxPlatform } from '../../../src/platform/linux/linux-platform.ts';
import { native } from '../../../src/platform/linux/native.ts';
import { startReaper } from '../../../src/platform/linux/reaper.ts';
import { endProcess } from '../../helpers/processes.ts';
import { describeIf } from '../../helpers/skip.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const platform = createLinuxPlatform();
const status = native.status();

/** Runs the body as a subreaper; orphans that it leaves are ended. */
async function asSubreaper(body: () => Promise<void>): Promise<void> {
  const before = new Set(platform.children(process.pid));
  expect(native.setSubreaper(true)).toBe(true);
  onTestFinished(() => {
    native.setSubreaper(false);
    for (const pid of platform.children(process.pid)) if (!before.has(pid)) endProcess(pid);
  });
  await body();
}

/** Zombies among our children. */
function zombies(): number[] {
  return platform.children(process.pid).filter((pid) => platform.readStat(pid)?.state === 'Z');
}

describeIf(status.type === 'available', JSON.stringify(status), 'a subreaper', () => {
  it('becomes the parent of a daemon that left its session and its environment', async () => {
    await asSubreaper(async () => {
      const child = spawn('sh', ['-c', '(setsid env -i sleep 300 >/dev/null & echo $!)'], {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [told] = await once(child.stdout, 'data');
      await once(child, 'exit');
      const orphan = Number(told);
      await waitFor('adoption', () => platform.readStat(orphan)?.ppid === process.pid);
      expect(platform.children(process.pid)).toContain(orphan);
      expect(native.waitNoHang(orphan)).toBe(false);
      endProcess(orphan);
      await waitFor('its end', () => platform.readStat(orphan)?.state === 'Z');
      expect(native.waitNoHang(orphan)).toBe(true);
      expect(platform.readStat(orphan)).toBeUndefined();
      expect(native.waitNoHang(orphan)).toBe(false);
    });
  });

  it('reaps 60 orphans and leaves every exit code of its own children to Node', async () => {
    await asSubreaper(async () => {
      const own = new Set<number>(platform.children(process.pid));
      const codes: (number | null)[] = [];
      let reaped = 0;
      const counting = {
        waitNoHang(pid: number) {
          const taken = native.waitNoHang(pid);
          if (taken) reaped += 1;
          return taken;
        },
      };
      const reaper = startReaper({ platform, native: counting, own });
      onTestFinished(() => reaper.stop());
      const script = '(setsid sleep 0.0$1 & setsid sleep 0.1 &) ; exit "$1"';
      const children = Array.from({ length: 30 }, (_, index) => {
        const child = spawn('sh', ['-c', script, 'sh', String(index + 1)], { stdio: 'ignore' });
        if (child.pid !== undefined) own.add(child.pid);
        return once(child, 'exit').then(([code]) => codes.push(code));
      });
      await Promise.all(children);
      await waitFor('all orphans to be reaped', () => platform.children(process.pid).every((pid) => own.has(pid)));
      expect(reaped).toBe(60);
      expect(codes.toSorted((a, b) => Number(a) - Number(b))).toEqual(
        Array.from({ length: 30 }, (_, index) => index + 1),
      );
    });
  });

  it('takes at its start what has piled up before, and nothing after its stop', async () => {
    await asSubreaper(async () => {
      const own = new Set<number>(platform.children(process.pid));
      const leave = async () => {
        const child = spawn('sh', ['-c', 'setsid sleep 0 & setsid sleep 0 &'], { stdio: 'ignore' });
        if (child.pid !== undefined) own.add(child.pid);
        await once(child, 'exit');
        await waitFor('two zombies', () => zombies().length === 2);
      };
      await leave();
      const reaper = startReaper({ platform, native, own });
      expect(zombies()).toEqual([]);
      reaper.stop();
      await leave();
      startReaper({ platform, native, own }).stop();
      expect(zombies()).toEqual([]);
    });
  });
});

describe('the reaper', () => {
  it('listens no more when it is stopped', () => {
    const before = process.listenerCount('SIGCHLD');
    const reaper = startReaper({ platform, native: { waitNoHang: () => false }, own: new Set() });
    expect(process.listenerCount('SIGCHLD')).toBe(before + 1);
    reaper.stop();
    expect(process.listenerCount('SIGCHLD')).toBe(before);
  });

  it('says once that more orphans end than it can keep up with', () => {
    const zombies = Array.from({ length: 600 }, (_, index) => 100_000 + index);
    const [stat] = platform.readTable();
    let floods = 0;
    const reaper = startReaper({
      platform: { children: () => zombies, readStat: (pid) => stat && { ...stat, pid, state: 'Z' } },
      native: { waitNoHang: () => true },
      own: new Set(),
      onFlood: () => {
        floods += 1;
      },
    });
    process.emit('SIGCHLD', 'SIGCHLD');
    reaper.stop();
    expect(floods).toBe(1);
  });
});
