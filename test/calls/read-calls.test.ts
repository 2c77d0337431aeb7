import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCalls, readLimits } from '../../src/calls/read-calls.ts';
import { sweepCalls } from '../../src/calls/sweep-calls.ts';
import { selectPlatform } from '../../src/platform/select-platform.ts';
import { startSleeper } from '../helpers/processes.ts';
import { describeIf, isLinux } from '../helpers/skip.ts';

const uid = process.getuid?.();
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'agentmux-calls-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

function write(name: string, text: string, atMs = Date.now()): void {
  writeFileSync(join(directory, name), text);
  utimesSync(join(directory, name), atMs / 1000, atMs / 1000);
}

const hookText = (id: string, command = 'ls') =>
  JSON.stringify({
    session_id: 's',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    tool_use_id: id,
  });

function shellText(pid: number, startTicks: number, command = 'ls'): string {
  const stat = `${pid} (sh) R 1 ${pid} ${pid} 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 ${startTicks} 0 0`;
  return `agentmux-call 1\n${pid}\n${stat}\ns\n1\neval '${command}' < /dev/null && pwd -P >| /tmp/c\nend\n`;
}

const count = () => {
  const { hooks, shells, reports } = readCalls(directory, uid);
  return [hooks.length, shells.length, reports.length];
};

describe('readCalls', () => {
  it('reads hooks, shells and reports with the times at which they were written', () => {
    write('hook.5', hookText('t1'), 1000);
    write('call.6', shellText(6, 60), 2000);
    write('call.6.1', shellText(6, 90), 3000);
    write(
      'reports.ndjson',
      '{"op":"call","tool_id":"r","pid":9,"timestamp":7}\n{"op":"call","tool_id":"q","pid":10}\n{"op":"ca',
      4000,
    );
    const { hooks, shells, reports } = readCalls(directory, uid);
    expect(hooks).toMatchObject([{ name: 'hook.5', toolId: 't1', atMs: 1000 }]);
    expect(shells).toMatchObject([
      { name: 'call.6', startTicks: 60, command: 'ls', atMs: 2000 },
      { name: 'call.6.1', startTicks: 90, atMs: 3000 },
    ]);
    expect(reports.map(({ pid, atMs }) => [pid, atMs])).toEqual([
      [9, 7],
      [10, 4000],
    ]);
  });

  it('is empty without a directory, and with a file in its place', () => {
    expect(readCalls(join(directory, 'none'), uid).hooks).toEqual([]);
    write('file', '');
    expect(readCalls(join(directory, 'file'), uid).hooks).toEqual([]);
  });

  it('passes over what is torn, foreign or huge', () => {
    write('hook.1', hookText('t1').slice(0, 40));
    write('hook.2', '');
    write('hook.txt', hookText('t1'));
    write('hook.3', `${hookText('t1')}${' '.repeat(readLimits.recordBytes)}`);
    write('call.4', shellText(4, 40).slice(0, -2));
    write('.call.5', shellText(5, 50));
    mkdirSync(join(directory, 'hook.6'));
    symlinkSync(join(directory, 'hook.7'), join(directory, 'call.7'));
    writeFileSync(join(directory, 'call.8'), Buffer.from([0xff, 0xfe]));
    expect(count()).toEqual([0, 0, 0]);
  });

  it('never waits for the writer of a fifo', () => {
    for (const name of ['hook.1', 'call.1', 'reports']) spawnSync('mkfifo', [join(directory, name)]);
    expect(count()).toEqual([0, 0, 0]);
  });

  it('reads the newest records alone where there are too many', () => {
    for (let i = 0; i < readLimits.records + 1; i += 1) write(`hook.${i}`, hookText(`t${i}`), 1000 + i);
    const { hooks } = readCalls(directory, uid);
    expect(hooks).toHaveLength(readLimits.records);
    expect(hooks[0]?.toolId).toBe('t1');
  });

  it('does not follow a link to a directory', () => {
    write('hook.1', hookText('t1'));
    const link = join(directory, 'link');
    symlinkSync(directory, link);
    expect(readCalls(link, uid).hooks).toEqual([]);
  });
});

describeIf(isLinux, 'no procfs', 'sweepCalls', () => {
  const platform = selectPlatform(process.platform);

  it('removes everything and the directory if nothing of any call lives', () => {
    write('hook.1', hookText('t1'));
    write('call.999999', shellText(999_999, 1));
    write('reports.ndjson', '{}');
    write('settings.json', '{}');
    sweepCalls(directory, uid, platform);
    expect(() => readdirSync(directory)).toThrow('ENOENT');
  });

  it('keeps what labels a live process, and the call that waits to be allowed', () => {
    // A session of its own: that of the tests can be led from outside their pid namespace.
    const { pid } = startSleeper({ detached: true });
    write('hook.1', hookText('dead', 'a'), 1000);
    write('call.999999', shellText(999_999, 1, 'a'), 2000);
    write('hook.2', hookText('live', 'b'), 3000);
    write(`call.${pid}`, shellText(pid, platform.readStat(pid)?.startTicks ?? 0, 'b'), 4000);
    write('hook.3', hookText('waits', 'c'), 5000);
    write('reports.ndjson', '{}');
    sweepCalls(directory, uid, platform);
    expect(readdirSync(directory).sort()).toEqual([`call.${pid}`, 'hook.2', 'hook.3', 'reports.ndjson'].sort());
  });

  it('leaves files of others alone', () => {
    write('notes.txt', '');
    sweepCalls(directory, uid, platform);
    expect(readdirSync(directory)).toEqual(['notes.txt']);
  });

  it('does nothing without a directory, and in one that it may not write', () => {
    sweepCalls(join(directory, 'none'), uid, platform);
    write('hook.1', hookText('t1'));
    chmodSync(directory, 0o500);
    expect(() => sweepCalls(directory, uid, platform)).not.toThrow();
    if (existsSync(directory)) chmodSync(directory, 0o700);
  });
});
