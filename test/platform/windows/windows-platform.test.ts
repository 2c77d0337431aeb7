import { afterEach, describe, expect, it } from 'vitest';
import type { Identity } from '../../../src/model/identity.ts';
import { createWin32 } from '../../../src/platform/windows/ffi-call.ts';
import { createWindowsPlatform } from '../../../src/platform/windows/windows-platform.ts';
import { EPOCH, type FakeProcess, FakeWindows } from './fake-windows.ts';

const QUERY = 0x400;
const LIMITED = 0x1000;

let fake: FakeWindows | undefined;

function open(...processes: readonly FakeProcess[]) {
  fake = new FakeWindows(processes);
  return { fake, platform: createWindowsPlatform(fake) };
}

/** Start of a fake process in microseconds since 1970. */
function startOf(pid: number): number {
  return Number((EPOCH + BigInt(pid) * 10_000n - 116_444_736_000_000_000n) / 10n);
}

function identityOf(pid: number, startTicks = startOf(pid)): Identity {
  return { pid, startTicks, bootId: '', pidNamespace: '' };
}

afterEach(() => {
  expect(fake?.handles ?? new Map()).toEqual(new Map());
  fake = undefined;
});

describe('the process table', () => {
  it('is read by one call, without a handle, and tells what each process used itself', () => {
    const { platform, fake } = open(
      { pid: 0, image: '' },
      { pid: 4, image: 'System' },
      { pid: 100, cpu: 25_000_000n, rssBytes: 7_000_000, image: 'C:\\Windows\\cmd.exe' },
      { pid: 104, ppid: 100, cpu: 5_000n, denies: 0xffffffff },
    );
    expect(platform.readTable()).toEqual([
      {
        ...{ pid: 100, ppid: 0, pgid: 0, sid: 0, ttyNr: 0, tpgid: -1, startTicks: startOf(100), state: 'S' },
        ...{ cpuMs: 5000, rssBytes: 7_000_000, comm: 'cmd.exe' },
      },
      expect.objectContaining({ pid: 104, ppid: 100, cpuMs: 1, comm: 'node.exe' }),
    ]);
    expect(fake.calls).toEqual(['NtQuerySystemInformation', 'memcpy']);
  });

  it('takes no younger process for a parent: its pid was given away again', () => {
    const { platform } = open({ pid: 100, ppid: 200 }, { pid: 200, ppid: 300 });
    expect(platform.readTable().map(({ pid, ppid }) => [pid, ppid])).toEqual([
      [100, 0],
      // Whoever has gone is not another process.
      [200, 300],
    ]);
    expect(platform.readStat(100)?.ppid).toBe(0);
    expect(platform.readStat(200)?.ppid).toBe(300);
    expect(platform.children(200)).toEqual([]);
  });

  it('is read again into more room while it does not fit', () => {
    const many = Array.from({ length: 3000 }, (_, index) => ({ pid: 8 + 4 * index }));
    const { platform, fake } = open(...many);
    expect(platform.listPids()).toEqual(many.map(({ pid }) => pid));
    expect(fake.calls.filter((name) => name === 'NtQuerySystemInformation')).toHaveLength(2);
  });

  it('is read by Toolhelp where the system refuses the one call', () => {
    const processes = [
      { pid: 100, cpu: 20_000_000n, rssBytes: 9 },
      { pid: 104, ppid: 100 },
      { pid: 108, denies: LIMITED },
    ];
    const { platform, fake } = open(...processes);
    const whole = platform.readTable();
    fake.statuses.set(5, 0xc0000002);
    expect(platform.readTable()).toEqual(whole.filter(({ pid }) => pid !== 108));
  });

  it('says so where neither works', () => {
    const { platform, fake } = open({ pid: 100 });
    fake.statuses.set(5, 0xc0000022);
    fake.overrides.set('CreateToolhelp32Snapshot', () => ({ value: -1, error: 5 }));
    expect(() => platform.readTable()).toThrow(
      expect.objectContaining({ code: 'no-process-table', message: expect.stringContaining('error 5') }),
    );
  });
});

describe('an identity', () => {
  it('is pid and creation time, in microseconds, and needs no boot', () => {
    const { platform } = open({ pid: 100 });
    expect(platform.identify(100)).toEqual(identityOf(100));
    expect(new Date(platform.startedAtMs(startOf(100))).toISOString()).toBe('2026-01-01T00:00:00.100Z');
    expect(platform.host()).toEqual({ machineId: '0a1b2c3d00004000800000000000cafe', bootId: '', pidNamespace: '' });
  });

  it.each([
    ['another start', identityOf(100, startOf(100) + 1)],
    ['a pid that nobody has', identityOf(104)],
    ['a record of another system', { ...identityOf(100), bootId: 'b0075f3e' }],
  ])('is not alive by %s', (_, identity) => {
    const { platform } = open({ pid: 100 });
    expect(platform.isAlive(identityOf(100))).toBe(true);
    expect(platform.isAlive(identity)).toBe(false);
  });

  it('has gone when its process has ended, though a handle keeps the object', () => {
    const { platform } = open({ pid: 100, exited: true });
    expect(platform.isAlive(identityOf(100))).toBe(false);
    expect(platform.identify(100)).toBeUndefined();
    expect(platform.readStat(100)).toBeUndefined();
    expect(platform.listPids()).toEqual([]);
  });

  it('is told by the table of a process that may not be opened', () => {
    const { platform } = open({ pid: 100, denies: LIMITED, image: 'csrss.exe' });
    expect(platform.identify(100)).toEqual(identityOf(100));
    expect(platform.isAlive(identityOf(100))).toBe(true);
    expect(platform.readStat(100)).toMatchObject({ comm: 'csrss.exe', startTicks: startOf(100) });
  });

  it.each([101, 102, 103])('is not told of under pid %i, which Windows would open too', (pid) => {
    const { platform, fake } = open({ pid: 100, commandLine: 'a b', environment: ['AGENTMUX_TAG=t'] });
    const identity = identityOf(pid, startOf(100));
    expect(platform.readStat(pid)).toBeUndefined();
    expect(platform.identify(pid)).toBeUndefined();
    expect(platform.isAlive(identity)).toBe(false);
    expect(platform.readDetails(pid, { argv: true }).argv).toBeUndefined();
    expect(platform.readEnvironment(pid)).toBeUndefined();
    expect(platform.findTag(pid, new Set(['AGENTMUX_TAG=t']))).toBeUndefined();
    expect(platform.keepPid?.(identity)).toBeUndefined();
    expect(fake.calls).not.toContain('OpenProcess');
  });

  it('keeps its pid by a handle, also after its end, and none of a process that is another', () => {
    const process = { pid: 100, exited: false };
    const { platform, fake } = open(process, { pid: 104, denies: LIMITED });
    const identity = { pid: 100, startTicks: startOf(100), bootId: '', pidNamespace: '' };
    for (const exited of [false, true]) {
      process.exited = exited;
      const release = platform.keepPid?.(identity);
      expect(fake.handles.size).toBe(1);
      release?.();
      expect(fake.handles.size).toBe(0);
    }
    const others = [
      { startTicks: 1 },
      { bootId: 'b' },
      { pid: 104, startTicks: startOf(104) },
      { pid: 0 },
      { pid: 999 },
    ];
    for (const other of others) expect(platform.keepPid?.({ ...identity, ...other })).toBeUndefined();
    expect(fake.handles.size).toBe(0);
  });

  it('of the machine is made of its name where the registry has none', () => {
    const { platform, fake } = open();
    fake.machineGuid = undefined;
    expect(platform.host().machineId).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('ending a process', () => {
  it('goes through the very handle by which it was recognised', () => {
    const { platform, fake } = open({ pid: 100 }, { pid: 104 });
    expect(platform.signal(identityOf(100), 'SIGKILL')).toBe('sent');
    expect(fake.ended).toEqual([{ pid: 100, exitCode: 137 }]);
    expect(fake.calls.filter((name) => name === 'OpenProcess')).toHaveLength(1);
  });

  it('touches no other process of that pid', () => {
    const { platform, fake } = open({ pid: 100, created: EPOCH + 77n });
    expect(platform.signal(identityOf(100), 'SIGKILL')).toBe('gone');
    expect(fake.calls).not.toContain('TerminateProcess');
  });

  it('is denied where the system refuses, and never tried for a record of another system', () => {
    const { platform, fake } = open({ pid: 100, denies: 1 });
    expect(platform.signal(identityOf(100), 'SIGKILL')).toBe('denied');
    expect(platform.signal({ ...identityOf(100), pidNamespace: '4026531836' }, 'SIGKILL')).toBe('denied');
    expect(fake.ended).toEqual([]);
  });

  it('finds one that is ending already gone, and so one of that pid that may not be opened', () => {
    const { platform, fake } = open({ pid: 100 }, { pid: 104, denies: 1 });
    fake.overrides.set('TerminateProcess', () => {
      for (const one of fake.processes) one.exited = true;
      return { value: 0, error: 5 };
    });
    expect(platform.signal(identityOf(100), 'SIGKILL')).toBe('gone');
    expect(platform.signal(identityOf(104, 1), 'SIGKILL')).toBe('gone');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGSTOP', 'SIGCONT', 'SIGHUP'] as const)('pretends no %s', (signal) => {
    const { platform, fake } = open({ pid: 100 });
    expect(platform.signal(identityOf(100), signal)).toBe('unsupported');
    expect(platform.signal(identityOf(104), signal)).toBe('gone');
    expect(fake.ended).toEqual([]);
  });

  it.each([0, 4, -1, 1.5, 101, 103])('refuses pid %d, which is none of a program', (pid) => {
    const { platform } = open({ pid: 100 });
    expect(() => platform.signal(identityOf(pid, startOf(100)), 'SIGKILL')).toThrow(/^internal/);
  });
});

describe('details', () => {
  const commandLine = '"C:\\bin\\node.exe" "a b" c\\d "e\\"f"';
  const argv = ['C:\\bin\\node.exe', 'a b', 'c\\d', 'e"f'];
  const whole = { pid: 100, commandLine, cwd: 'C:\\work\\', privateBytes: 4096, environment: ['A=1'] };
  const all = { argv: true, exe: true, cwd: true, status: true };

  it('are all there of a process of ours', () => {
    const { platform } = open(whole);
    expect(platform.readDetails(100, all)).toMatchObject({
      ...{ argv, exe: 'C:\\bin\\node.exe', cwd: 'C:\\work', privateBytes: 4096, uid: undefined },
    });
  });

  it('read no memory for the command line where the system tells it', () => {
    const { platform, fake } = open({ ...whole, denies: QUERY });
    expect(platform.readDetails(100, { argv: true }).argv).toEqual(argv);
    expect(fake.calls).not.toContain('ReadProcessMemory');
  });

  it('ask a system that does not know that query once, and read the memory', () => {
    const { platform, fake } = open(whole);
    fake.statuses.set(60, 0xc0000003);
    for (let time = 0; time < 3; time += 1) expect(platform.readDetails(100, { argv: true }).argv).toEqual(argv);
    expect(fake.calls.filter((name) => name === 'OpenProcess')).toHaveLength(4);
  });

  it('of a process of 32 bits are those that need none of its memory', () => {
    const { platform } = open({ ...whole, is32Bit: true, environment: ['AGENTMUX_TAG=t'] });
    expect(platform.readDetails(100, all)).toMatchObject({ argv, cwd: undefined, privateBytes: 4096 });
    expect(platform.readEnvironment(100)).toBeUndefined();
    expect(platform.findTag(100, new Set(['t']))).toBeUndefined();
  });

  it('are unknown of a process that may not be opened or has gone', () => {
    const { platform } = open({ ...whole, denies: LIMITED | QUERY });
    for (const pid of [100, 104, 0]) {
      expect(Object.values(platform.readDetails(pid, all)).filter((value) => value !== undefined)).toEqual([]);
      expect(platform.readEnvironment(pid)).toBeUndefined();
    }
  });

  it('are unknown where memory cannot be read, or is said to be larger than any', () => {
    const { platform, fake } = open(whole);
    fake.overrides.set('ReadProcessMemory', (...args) => {
      const [, , into, , count] = args.map(({ value }) => value as Buffer);
      into?.fill(0x41);
      count?.writeBigUInt64LE(BigInt(into?.length ?? 0));
      return { value: 1, error: 0 };
    });
    expect(platform.readEnvironment(100)).toBeUndefined();
    expect(platform.readDetails(100, { cwd: true }).cwd).toBeUndefined();
    fake.overrides.set('ReadProcessMemory', () => ({ value: 0, error: 299 }));
    expect(platform.readEnvironment(100)).toBeUndefined();
  });

  it('hold the environment, in which case does not count in names', () => {
    const environment = ['=C:=C:\\work', 'agentmux_tag=abc', 'Path=C:\\bin', 'PATH=D:\\', 'EMPTY='];
    const { platform } = open({ ...whole, environment });
    expect(platform.readEnvironment(100)).toEqual(environment.slice(1));
    expect(platform.findTag(100, new Set(['x', 'abc']))).toBe('abc');
    expect(platform.findTag(100, new Set(['ab']))).toBeUndefined();
    expect(platform.readVariables(100, new Set(['PATH', 'empty', 'NONE']))).toEqual(
      new Map([
        ['PATH', 'C:\\bin'],
        ['empty', ''],
      ]),
    );
  });
});

describe('listening ports', () => {
  const loopback6 = [...Array(15).fill(0), 1];

  it('are those of both families, with their owners', () => {
    const { platform, fake } = open();
    fake.tcp = [
      ['tcp', [127, 0, 0, 1], 8080, 2, 100],
      ['tcp', [127, 0, 0, 1], 8081, 5, 100],
      ['tcp6', loopback6, 3000, 2, 104],
      ['tcp', [0, 0, 0, 0], 445, 2, 0],
    ];
    expect(platform.readListeners([100, 104, 108])).toEqual({
      byPid: new Map([
        [100, [{ protocol: 'tcp', address: '127.0.0.1', port: 8080 }]],
        [104, [{ protocol: 'tcp6', address: '::1', port: 3000 }]],
      ]),
      denied: new Set(),
    });
    expect(platform.readOpenPorts().map(({ port, pids }) => [port, pids])).toEqual([
      [8080, [100]],
      [445, []],
      [3000, [104]],
    ]);
  });

  it('are read however many there are', () => {
    const { platform, fake } = open();
    fake.tcp = Array.from({ length: 1000 }, (_, index) => ['tcp', [0, 0, 0, 0], 1024 + index, 2, 100] as const);
    expect(platform.readListeners([100]).byPid.get(100)).toHaveLength(1000);
  });

  it('are those of v4 alone where the system has no v6', () => {
    const { platform, fake } = open();
    fake.tcp = [['tcp', [127, 0, 0, 1], 8080, 2, 100]];
    failTable(fake, 23, 50);
    expect(platform.readOpenPorts().map(({ port }) => port)).toEqual([8080]);
    expect(platform.readListeners([100, 104])).toMatchObject({ byPid: { size: 1 }, denied: { size: 0 } });
  });

  it.each([
    [2, 50],
    [2, 5],
    [23, 5],
    [23, 1450],
  ])('are not known where the table of family %i fails with %i', (family, error) => {
    const { platform, fake } = open();
    fake.tcp = [['tcp', [127, 0, 0, 1], 8080, 2, 100]];
    failTable(fake, family, error);
    expect(platform.readListeners([100, 104])).toEqual({ byPid: new Map(), denied: new Set([100, 104]) });
    expect(() => platform.readOpenPorts()).toThrow(
      expect.objectContaining({ code: 'no-port-table', message: expect.stringContaining(`error ${error}`) }),
    );
  });

  function failTable(fake: FakeWindows, failing: number, error: number): void {
    fake.overrides.set('GetExtendedTcpTable', (_table, _size, _order, family) =>
      family?.value === failing ? { value: error, error: 0 } : undefined,
    );
  }
});

it('without native code there is no platform, and why is said', () => {
  const win32 = createWin32(() => {
    throw new Error("Cannot find module '@yuuang/ffi-rs-win32-x64-msvc'\nRequire stack:");
  });
  expect(() => createWindowsPlatform(win32)).toThrow(
    expect.objectContaining({
      code: 'no-native',
      message: "the native calls of Windows cannot be made: Cannot find module '@yuuang/ffi-rs-win32-x64-msvc'",
    }),
  );
});
