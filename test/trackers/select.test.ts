import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { BlockRecord } from '../../src/model/block.ts';
import { isSystemdHost } from '../../src/platform/linux/systemd.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { adviseOn, type ReasonFacts } from '../../src/trackers/reasons.ts';
import { planTrackers } from '../../src/trackers/select.ts';
import { canMakeGroups, makeGroup } from '../helpers/cgroup.ts';
import { hasNamespaces, namespaceReason, openNamespace } from '../helpers/namespace.ts';
import { describeIf, isLinux, isRoot, itIf } from '../helpers/skip.ts';
import { type ProbeReport, probe } from './probe.ts';
import { identify, platform } from './track.ts';

const codes = (report: ProbeReport) => report.record.reasons.map((reason) => reason.code);
const hasCompiler = spawnSync('cc', ['--version']).status === 0;
const nobody = 65534;
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
const joined = (group: string) => ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group];

function expectWorks(report: ProbeReport): void {
  expect(report).toMatchObject({ left: 0, isBack: true, isRemoved: true });
  expect(report.members).toBeGreaterThanOrEqual(report.record.type === 'cgroup' ? 3 : 2);
  if (report.record.type === 'cgroup') expect(report.agentGroup).toMatch(/agentmux-probe-[0-9a-f]{8}$/);
}

describeIf(hasNamespaces && !isSystemdHost(), namespaceReason, 'on a host of another make', () => {
  it.each(['hybrid', 'unified', 'cgroupNamespace', 'cgroupNamespaceOfHostMount', 'hidepid'] as const)(
    'takes a cgroup: %s',
    async (host) => {
      const { prefix } = await openNamespace(host);
      const report = await probe({ prefix });
      expect(report.record).toMatchObject({ type: 'cgroup', confidence: 'high', reasons: [] });
      expectWorks(report);
    },
  );

  it.each([
    ['pureV1', 'no-cgroup2'],
    ['readOnly', 'read-only'],
    ['threaded', 'threaded'],
  ] as const)('scans and says why: %s', async (host, code) => {
    const { prefix } = await openNamespace(host);
    const report = await probe({ prefix });
    expect(report.record).toMatchObject({ type: 'scan', confidence: 'best_effort' });
    expect(codes(report)).toEqual([code]);
    expectWorks(report);
    expect(report.advice[0]?.sentence).not.toBe('');
  });

  it.each(['pureV1', 'readOnly', 'threaded'] as const)('the command that is advised changes that: %s', async (host) => {
    const { prefix } = await openNamespace(host);
    const { command } = (await probe({ prefix })).advice[0] ?? {};
    // In the shell that starts the agent, as it is meant to be typed.
    const typed = ['bash', '-c', `${command} && exec "$@"`, 'bash'];
    const report = await probe({ prefix: [...prefix, ...typed] });
    expect(report.record).toMatchObject({ type: 'cgroup', reasons: [] });
    expectWorks(report);
  });

  it('notes that /proc hides processes, until the advised command shows them', async () => {
    const { prefix } = await openNamespace('hidepid');
    expect((await probe({ prefix: [...prefix, ...asNobody] })).notes).toEqual(['hidepid']);
    const facts = { uid: 0, user: 'root' } as ReasonFacts;
    const { command } = adviseOn({ code: 'hidepid', detail: '' }, facts);
    const typed = ['bash', '-c', `${command} && exec "$@"`, 'bash', ...asNobody];
    expect((await probe({ prefix: [...prefix, ...typed] })).notes).toEqual([]);
  });

  it('makes no plain directory where a hierarchy only seems to be mounted', async () => {
    const { prefix } = await openNamespace('pureV1');
    await probe({ prefix });
    const [command = '', ...args] = [...prefix, 'find', '/sys/fs/cgroup', '-mindepth', '1'];
    expect(spawnSync(command, args, { encoding: 'utf8' }).stdout).toBe('');
  });
});

const canBecomeNobody = isRoot && spawnSync(asNobody[0] ?? '', [...asNobody.slice(1), 'true']).status === 0;
const isPossible = canBecomeNobody && canMakeGroups() && !isSystemdHost();
describeIf(isPossible, 'needs root, cgroup v2 and setpriv(1) of util-linux', 'as an ordinary user', () => {
  it('scans where its own group is not its to write, until the advised command gave it one', async () => {
    const report = await probe({ prefix: asNobody });
    expect(report.record.type).toBe('scan');
    expect(codes(report)).toEqual(['permission']);
    expectWorks(report);
    const command = report.advice[0]?.command?.replace(/^sudo /, '');
    const improved = await probe({ prefix: ['bash', '-c', `${command} && exec "$@"`, 'bash', ...asNobody] });
    onTestFinished(
      () => void spawnSync('find', [ownMount(), '-maxdepth', '1', '-name', 'agentmux-user-65534', '-delete']),
    );
    expect(improved.record).toMatchObject({ type: 'cgroup', reasons: [] });
    expectWorks(improved);
  });

  it('takes a child of a group that was given to it', async () => {
    const report = await probe({ prefix: [...joined(delegatedGroup()), ...asNobody] });
    expect(report.record).toMatchObject({ type: 'cgroup', reasons: [] });
    expectWorks(report);
  });

  it('scans where a group can be made but nothing moved into it, and leaves none behind', async () => {
    const group = delegatedGroup();
    const report = await probe({
      prefix: [...joined(group), ...asNobody],
      between: () => chownSync(join(group, 'cgroup.procs'), 0, 0),
    });
    expect(report.plans[0]?.type).toBe('cgroup');
    expect(report.record.type).toBe('scan');
    expect(codes(report)).toEqual(['move-refused']);
    expectWorks(report);
    expect(spawnSync('find', [group, '-mindepth', '1', '-type', 'd'], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('does not go into the group of an earlier run that it may not enter', async () => {
    const elsewhere = delegatedGroup();
    const tag = randomBytes(16).toString('hex');
    const old = join(elsewhere, `agentmux-probe-${tag.slice(0, 8)}`);
    mkdirSync(old);
    chownSync(old, nobody, nobody);
    const previous = recordIn(old, tag);
    const report = await probe({ prefix: [...joined(delegatedGroup()), ...asNobody], tag, previous });
    expect(report.record.type).toBe('cgroup');
    expect(codes(report)).toEqual(['old-group']);
    expect(report.advice[0]?.command).toBe('agentmux kill-tree --block probe');
    expectWorks(report);
  });
});

describeIf(isRoot && canMakeGroups() && !isSystemdHost(), 'needs root and cgroup v2', 'as root', () => {
  it('says that groups are limited, until the advised command lifts that', async () => {
    const group = makeGroup();
    writeFileSync(join(group, 'cgroup.max.descendants'), '0');
    const report = await probe({ prefix: joined(group) });
    expect(codes(report)).toEqual(['group-limit']);
    expectWorks(report);
    const typed = ['bash', '-c', `${report.advice[0]?.command} && exec "$@"`, 'bash'];
    expect((await probe({ prefix: [...joined(group), ...typed] })).record).toMatchObject({
      type: 'cgroup',
      reasons: [],
    });
  });

  itIf(
    hasCompiler,
    'needs cc',
    'ends all of a block where the kernel has no cgroup.kill, and says that it has none',
    async () => {
      const report = await probe({ env: { LD_PRELOAD: buildWithoutKill() } });
      expect(report.record.type).toBe('cgroup');
      expect(codes(report)).toEqual(['kernel-too-old']);
      expectWorks(report);
    },
  );

  it('goes into the group of an earlier run again', async () => {
    const elsewhere = makeGroup();
    const tag = randomBytes(16).toString('hex');
    const old = join(elsewhere, `agentmux-probe-${tag.slice(0, 8)}`);
    mkdirSync(old);
    const report = await probe({ tag, previous: recordIn(old, tag) });
    expect(report.record).toMatchObject({ type: 'cgroup', cgroupPath: old, reasons: [] });
    expectWorks(report);
  });

  it("does not take a recorded group that is another block's", async () => {
    const elsewhere = makeGroup();
    const report = await probe({ previous: recordIn(elsewhere, randomBytes(16).toString('hex')) });
    expect(report.record.cgroupPath).not.toBe(elsewhere);
    expectWorks(report);
  });
});

describeIf(isRoot && hasNamespaces && !isSystemdHost(), namespaceReason, 'on a host with systemd', () => {
  // What is systemd's of such a host, as far as the choice looks: its mark in /run, and groups named as its units are.
  const booted = (path: string, runtimeDir?: string) => [
    ...joinedUnit(path),
    ...['unshare', '-m', '--propagation', 'private', 'sh', '-c'],
    `mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && XDG_RUNTIME_DIR=${runtimeDir ?? '/nonexistent'} exec "$@"`,
    'sh',
  ];

  it('stays in a system service that is not delegated, and scans', async () => {
    const report = await probe({ prefix: booted('system.slice/work.service') });
    expect(report.record.type).toBe('scan');
    expect(codes(report)).toEqual(['not-delegated']);
    expect(report.advice[0]?.command).toContain('/etc/systemd/system/work.service.d/delegate.conf');
    expectWorks(report);
  });

  it('takes a child of a system service that is delegated to this user', async () => {
    const report = await probe({ prefix: [...booted('system.slice/given.service'), ...asNobody] });
    expect(report.record).toMatchObject({ type: 'cgroup', reasons: [] });
    expect(report.record.scope).toBeUndefined();
    expectWorks(report);
  });

  it("says that the manager of a session's user does not run", async () => {
    const report = await probe({ prefix: [...booted('user.slice/user-65534.slice/session-3.scope'), ...asNobody] });
    expect(codes(report)).toEqual(['no-user-manager', 'permission']);
    expect(report.advice[0]?.command).toBe('sudo loginctl enable-linger nobody');
    expectWorks(report);
  });

  it('says what a manager answered that makes no scope', async () => {
    const runtimeDir = serveRefusals();
    const report = await probe({ prefix: [...booted('user.slice/user-0.slice/session-4.scope', runtimeDir)] });
    expect(report.plans[0]?.scope).toMatch(/^agentmux-probe-[0-9a-f]{8}\.scope$/);
    expect(codes(report)).toEqual(['scope-failed']);
    expect(report.record.type).toBe('cgroup');
    expectWorks(report);
  });

  it('nests within the group of a block instead of asking for a scope', async () => {
    const path = 'user.slice/user-0.slice/user@0.service/agentmux.slice/agentmux-outer-0a1b2c3d.scope/agent';
    const report = await probe({ prefix: booted(path, serveRefusals()) });
    expect(report.record).toMatchObject({ type: 'cgroup', reasons: [] });
    expect(report.record.scope).toBeUndefined();
    expect(report.record.cgroupPath).toContain('/agentmux-outer-0a1b2c3d.scope/agent/agentmux-probe-');
  });

  function joinedUnit(path: string): string[] {
    const top = makeGroup();
    const group = join(top, path);
    mkdirSync(group, { recursive: true });
    if (path.includes('given')) for (const one of [group, `${group}/cgroup.procs`]) chownSync(one, nobody, nobody);
    return joined(group);
  }

  function serveRefusals(): string {
    const directory = mkdtempSync(join(tmpdir(), 'agentmux-runtime-'));
    mkdirSync(join(directory, 'systemd'));
    const server = createServer(
      (socket) => void socket.on('data', () => socket.write('REJECTED\r\n')).on('error', () => undefined),
    );
    server.listen(join(directory, 'systemd/private'));
    onTestFinished(() => {
      server.close();
      rmSync(directory, { recursive: true, force: true });
    });
    return directory;
  }
});

describe('what was asked for', () => {
  const base = { platform, env: {}, blockId: 'b', tag: 'ab'.repeat(16), kind: 'agent' } as const;
  const wrapper = isLinux ? identify(process.pid) : { pid: 1, startTicks: 1, bootId: '', pidNamespace: '' };
  const plan = (options: Partial<Parameters<typeof planTrackers>[0]>) =>
    planTrackers({ ...base, wrapper, ...options }).map(({ record }) => [
      record.type,
      record.reasons.map((r) => r.code),
    ]);
  const on = (os: Platform['os']): Platform => ({ ...platform, os });

  it('gives the tracker that was asked for by name', () => {
    expect(plan({ forced: 'scan' })).toEqual([['scan', ['forced']]]);
    expect(plan({ forced: 'stub' })).toEqual([['stub', ['forced']]]);
  });

  it("tracks nothing of a person's terminal", () => {
    expect(plan({ kind: 'terminal' })).toEqual([['stub', ['terminal']]]);
  });

  it('has no job object off Windows, and no cgroup off Linux', () => {
    expect(plan({ forced: 'job' })).toEqual([['scan', ['not-windows']]]);
    expect(plan({ platform: on('darwin') })).toEqual([['scan', ['not-linux']]]);
    expect(plan({ platform: on('other') })).toEqual([['scan', ['not-linux']]]);
  });

  it('always ends with a way that needs nothing', () => {
    expect(plan({}).at(-1)?.[0]).toBe('scan');
  });

  it('adds the reason of a plan that failed to those that are left', () => {
    const [first] = planTrackers({ ...base, wrapper, forced: 'scan' });
    expect(first?.withReason({ code: 'x', detail: 'y' }).record.reasons.map((r) => r.code)).toEqual(['forced', 'x']);
  });
});

/** A kernel before 5.14, as far as a process can tell: open(2) finds no cgroup.kill. */
function buildWithoutKill(): string {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-preload-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const library = join(directory, 'no-kill.so');
  const { status, stderr } = spawnSync('cc', [
    '-shared',
    '-fPIC',
    '-w',
    '-o',
    library,
    'test/fixtures/no-cgroup-kill.c',
    '-ldl',
  ]);
  if (status !== 0) throw new Error(String(stderr));
  return library;
}

function delegatedGroup(): string {
  const group = makeGroup();
  for (const path of [group, join(group, 'cgroup.procs')]) chownSync(path, nobody, nobody);
  return group;
}

function ownMount(): string {
  return (
    /^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 /m.exec(
      spawnSync('cat', ['/proc/self/mountinfo'], { encoding: 'utf8' }).stdout,
    )?.[1] ?? ''
  );
}

function recordIn(cgroupPath: string, tag: string): BlockRecord {
  return {
    schemaVersion: 1,
    id: 'probe',
    tag,
    machineId: platform.host().machineId,
    agent: undefined,
    kind: 'agent',
    parentId: undefined,
    createdAtMs: 0,
    state: 'ended',
    leftovers: 'report',
    tracker: { type: 'cgroup', confidence: 'high', reasons: [], cgroupPath, scope: undefined, subreaper: false },
    runs: [],
  };
}
