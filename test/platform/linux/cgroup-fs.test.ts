import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  killGroup,
  listGroups,
  makeGroup as make,
  moveProcess,
  parseKey,
  parseProcs,
  readCpuUsec,
  readFrozen,
  readOomKills,
  readPopulated,
  readProcs,
  readProcsRecursive,
  readType,
  removeGroup,
  setFreeze,
} from '../../../src/platform/linux/cgroup-fs.ts';
import { canMakeGroups, makeGroup } from '../../helpers/cgroup.ts';
import { startProcess, startSleeper } from '../../helpers/processes.ts';
import { isAlive } from '../../helpers/procfs.ts';
import { describeIf, isRoot, itIf } from '../../helpers/skip.ts';
import { waitFor } from '../../helpers/wait-for.ts';

describe('parseProcs', () => {
  it('drops 0, which stands for processes of other pid namespaces', () => {
    expect(parseProcs('0\n2\n0\n31\n')).toEqual([2, 31]);
    expect(parseProcs('')).toEqual([]);
  });

  it('never answers a pid that would signal a group or everybody', () => {
    fc.assert(fc.property(fc.string(), (text) => parseProcs(text).every((pid) => pid > 0)));
  });
});

describe('parseKey', () => {
  it('finds the value of a whole key', () => {
    const text = 'usage_usec 538\nusage_usec_more 1\nuser_usec x\n';
    expect(parseKey(text, 'usage_usec')).toBe(538);
    expect(parseKey(text, 'usage')).toBeUndefined();
    expect(parseKey(text, 'user_usec')).toBeUndefined();
  });
});

describeIf(canMakeGroups(), 'needs a writable cgroup v2 group', 'a real group', () => {
  it('lists its processes and those of the groups below it', () => {
    const group = makeGroup();
    mkdirSync(join(group, 'a/b'), { recursive: true });
    const [one, two] = [startSleeper(), startSleeper()];
    expect(moveProcess(one.pid, group)).toEqual({ status: 'done' });
    expect(moveProcess(two.pid, join(group, 'a/b'))).toEqual({ status: 'done' });
    expect(readProcs(group)).toEqual({ status: 'ok', pids: [one.pid] });
    expect(readProcsRecursive(group).sort()).toEqual([one.pid, two.pid].sort());
    expect(listGroups(group)).toEqual([join(group, 'a/b'), join(group, 'a'), group]);
    expect(readPopulated(group)).toBe(true);
  });

  it('is killed with all that is below it, stopped and frozen processes too', async () => {
    const group = makeGroup();
    const ice = join(group, 'ice');
    mkdirSync(ice);
    const [plain, frozen, stopped] = [startSleeper(), startSleeper(), startSleeper()];
    moveProcess(plain.pid, group);
    moveProcess(stopped.pid, group);
    moveProcess(frozen.pid, ice);
    process.kill(stopped.pid, 'SIGSTOP');
    expect(setFreeze(ice, true)).toEqual({ status: 'done' });
    await waitFor('the freeze', () => readFrozen(ice));
    expect(killGroup(group)).toEqual({ status: 'done' });
    await waitFor('it to be empty', () => readPopulated(group) === false);
    expect([plain, frozen, stopped].filter(({ pid }) => isAlive(pid))).toEqual([]);
  });

  it('is removed from the inside out, and never while it holds a process', async () => {
    const group = makeGroup();
    const deep = join(group, 'a/b');
    mkdirSync(deep, { recursive: true });
    const { pid, child } = startSleeper();
    moveProcess(pid, deep);
    expect(removeGroup(group)).toBe(false);
    expect(existsSync(deep)).toBe(true);
    child.kill('SIGKILL');
    await waitFor('it to be gone', () => removeGroup(group));
    expect(existsSync(group)).toBe(false);
    mkdirSync(group);
  });

  it('counts the CPU of processes that have exited', async () => {
    const group = makeGroup();
    const { ended } = startProcess('sh', [
      '-c',
      `echo $$ > ${group}/cgroup.procs; i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done`,
    ]);
    await ended;
    expect(readCpuUsec(group)).toBeGreaterThan(0);
  });

  it('is made once', () => {
    const group = join(makeGroup(), 'x');
    expect(make(group)).toBe(true);
    expect(make(group)).toBe(false);
  });

  it('tells its type; a threaded group lists no processes, which its parent does', () => {
    const group = makeGroup();
    expect(readType(group)).toBe('domain');
    const threads = join(group, 'threads');
    mkdirSync(threads);
    writeFileSync(join(threads, 'cgroup.type'), 'threaded');
    const { pid } = startSleeper();
    moveProcess(pid, group);
    expect(readProcs(threads)).toEqual({ status: 'threaded' });
    expect(readProcsRecursive(group)).toEqual([pid]);
  });

  it('that is gone is empty, and a write to it says so', () => {
    const gone = join(makeGroup(), 'gone');
    expect(readProcs(gone)).toEqual({ status: 'gone' });
    expect(readProcsRecursive(gone)).toEqual([]);
    expect(readPopulated(gone)).toBeUndefined();
    expect(readOomKills(gone)).toBeUndefined();
    expect(killGroup(gone)).toEqual({ status: 'gone' });
    expect(removeGroup(gone)).toBe(true);
  });

  itIf(isRoot, 'needs root', 'says why a write was refused', () => {
    const group = makeGroup();
    // No process has this pid: it is above the kernel's limit (PID_MAX_LIMIT).
    expect(moveProcess(4_194_305, group)).toEqual({ status: 'refused', code: 'ESRCH' });
  });
});

describe('a plain directory', () => {
  it('is never written to', () => {
    const directory = mkdtempSync(join(tmpdir(), 'agentmux-plain-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    expect(killGroup(directory)).toEqual({ status: 'unsupported' });
    expect(moveProcess(process.pid, directory)).toEqual({ status: 'unsupported' });
    expect(spawnSync('ls', ['-A', directory], { encoding: 'utf8' }).stdout).toBe('');
  });

  it('is read as far as it looks like a group', () => {
    const directory = mkdtempSync(join(tmpdir(), 'agentmux-plain-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    writeFileSync(join(directory, 'memory.events'), 'low 0\noom 2\noom_kill 1\n');
    expect(readOomKills(directory)).toBe(1);
    expect(readFileSync(join(directory, 'memory.events'), 'utf8')).toContain('oom_kill 1');
  });
});
