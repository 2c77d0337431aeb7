import { describe, expect, it } from 'vitest';
import type { Identity } from '../../../src/model/identity.ts';
import { createLinuxPlatform } from '../../../src/platform/linux/linux-platform.ts';
import { startProcess, startSleeper } from '../../helpers/processes.ts';
import { isAlive } from '../../helpers/procfs.ts';
import { isRoot, itIf } from '../../helpers/skip.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const platform = createLinuxPlatform();

function identityOf(pid: number): Identity {
  const identity = platform.identify(pid);
  if (identity === undefined) throw new Error(`no process ${pid}`);
  return identity;
}

describe('a signal', () => {
  it('reaches the process that was meant', async () => {
    const { pid, ended } = startSleeper();
    expect(platform.signal(identityOf(pid), 'SIGTERM')).toBe('sent');
    expect(await ended).toEqual({ code: null, signal: 'SIGTERM' });
  });

  it('does not reach another process that has the pid now', async () => {
    const { pid } = startSleeper();
    const earlier = { ...identityOf(pid), startTicks: identityOf(pid).startTicks - 1 };
    expect(platform.signal(earlier, 'SIGKILL')).toBe('gone');
    expect(platform.signal({ ...identityOf(pid), bootId: 'before the reboot' }, 'SIGKILL')).toBe('gone');
    expect(platform.signal({ ...identityOf(pid), pidNamespace: '1' }, 'SIGKILL')).toBe('denied');
    expect(isAlive(pid)).toBe(true);
  });

  it('finds a dead process gone', async () => {
    const { pid, ended } = startSleeper();
    const identity = identityOf(pid);
    platform.signal(identity, 'SIGKILL');
    await ended;
    expect(platform.signal(identity, 'SIGKILL')).toBe('gone');
  });

  it('finds a zombie gone', async () => {
    const { pid } = startProcess('sh', ['-c', 'sleep 300 & exec sleep 300']);
    const child = await waitFor('the child', () => platform.children(pid)[0]);
    await waitFor('exec', () => platform.readStat(pid)?.comm === 'sleep');
    const identity = identityOf(child);
    expect(platform.signal(identity, 'SIGKILL')).toBe('sent');
    await waitFor('the zombie', () => platform.readStat(child)?.state === 'Z');
    expect(platform.signal(identity, 'SIGKILL')).toBe('gone');
  });

  itIf(!isRoot, 'root may signal everything', 'is denied for a process of another user', () => {
    const init = { ...identityOf(1) };
    const foreign = platform.readTable().find((stat) => {
      const { uid } = platform.readDetails(stat.pid, { status: true });
      return stat.pid > 1 && uid !== undefined && uid !== process.getuid?.();
    });
    expect(init.pid).toBe(1);
    // Not CONT, which may be sent to anybody in one's own session (kill(2)).
    if (foreign !== undefined) expect(platform.signal(identityOf(foreign.pid), 'SIGURG')).toBe('denied');
  });

  it.each([1, 0, -1, -4242, 1.5, Number.NaN])('is refused for pid %d', (pid) => {
    const identity = { ...identityOf(process.pid), pid };
    expect(() => platform.signal(identity, 'SIGCONT')).toThrow('internal: refused to signal pid');
  });
});
