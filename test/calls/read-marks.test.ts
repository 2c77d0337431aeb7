import { describe, expect, it } from 'vitest';
import { claude } from '../../src/agents/claude.ts';
import { createMarksReader, type MarkMemory } from '../../src/calls/read-marks.ts';
import { createMemoryStore } from '../../src/launch/memory-store.ts';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { startSleeper } from '../helpers/processes.ts';
import { waitFor } from '../helpers/wait-for.ts';

const TOOL = { AI_AGENT: 'claude-code_1_agent', CLAUDE_PID: '10', CLAUDE_CODE_SESSION_ID: 'A' };
const nothing = { counted: new Set<number>(), bindings: [] };

/** The host's platform, with a clock by which every process started long ago, that counts how often it is asked. */
function createCounting(startedAtMs = 0) {
  const platform = createLinuxPlatform();
  const reads: number[] = [];
  const counting: Platform = {
    ...platform,
    startedAtMs: () => startedAtMs,
    readVariables(pid, names) {
      reads.push(pid);
      return platform.readVariables(pid, names);
    },
  };
  return { platform: counting, reads };
}

async function startMarked(platform: Platform, env: Record<string, string>) {
  const { pid } = startSleeper({ env });
  // Between fork and exec it shows what the test itself is.
  await waitFor('the program to run', () => platform.readDetails(pid, { argv: true }).argv?.[0] === 'sleep');
  return { pid, startTicks: platform.readStat(pid)?.startTicks };
}

describe('createMarksReader', () => {
  it('reads the environment of a process once, over several readers', async () => {
    const { platform, reads } = createCounting();
    const store = createMemoryStore();
    const member = await startMarked(platform, TOOL);
    const silent = await startMarked(platform, { A: '1' });
    for (let round = 0; round < 3; round += 1) {
      const reader = createMarksReader(platform, store);
      const { byPid } = reader.read('b', [member, silent], [claude]);
      reader.remember('b', nothing);
      expect(byPid.get(member.pid)?.marks).toMatchObject([{ agent: 'claude', kind: 'tool', session: 'A', pid: 10 }]);
      expect(byPid.get(silent.pid)?.marks).toEqual([]);
    }
    expect(reads).toEqual([member.pid, silent.pid]);
  });

  it('names who ended before it could be asked, and nobody who has nothing to tell or cannot be seen', async () => {
    const { platform } = createCounting();
    const [member, silent] = [await startMarked(platform, TOOL), await startMarked(platform, { A: '1' })];
    const ended = { pid: silent.pid, startTicks: (silent.startTicks ?? 0) - 1 };
    const unseen = { pid: 2 ** 22 + 1, startTicks: undefined };
    const reader = createMarksReader(platform, createMemoryStore());
    expect(reader.read('b', [member, silent, unseen], [claude]).ended).toEqual(new Set());
    expect(reader.read('b', [member, ended], [claude]).ended).toEqual(new Set([silent.pid]));
    const exiting: Platform = {
      ...platform,
      readVariables: () => new Map(),
      readStat: (pid) => ({ ...platform.readStat(pid), rssBytes: 0 }) as ReturnType<Platform['readStat']>,
      readDetails: (pid, fields) => ({ ...platform.readDetails(pid, fields), argv: [] }),
    };
    const late = createMarksReader(exiting, createMemoryStore());
    expect(late.read('b', [member], [claude]).ended).toEqual(new Set([member.pid]));
    // Killed and not yet reaped it is still listed.
    const dying = await startMarked(platform, TOOL);
    process.kill(dying.pid, 'SIGKILL');
    await waitFor('its end', () => ['Z', undefined].includes(platform.readStat(dying.pid)?.state));
    expect(reader.read('b', [dying], [claude]).ended).toEqual(new Set([dying.pid]));
  });

  it('reads again another process of the same pid', async () => {
    const { platform, reads } = createCounting();
    const store = createMemoryStore();
    const member = await startMarked(platform, TOOL);
    const earlier = { pid: member.pid, startTicks: 1, bootId: platform.host().bootId, marks: [], output: undefined };
    store.rememberMarks('b', { processes: [earlier], bindings: [] });
    createMarksReader(platform, store).read('b', [member], [claude]);
    expect(reads).toEqual([member.pid]);
  });

  it('remembers of a process that has only just started what counted, and nothing else', async () => {
    const { platform } = createCounting(Date.now());
    const store = createMemoryStore();
    const member = await startMarked(platform, TOOL);
    const silent = await startMarked(platform, { A: '1' });
    const reader = createMarksReader(platform, store);
    reader.read('b', [member, silent], [claude]);
    reader.remember('b', { counted: new Set([member.pid]), bindings: [] });
    expect(store.marks('b').processes.map(({ pid }) => pid)).toEqual([member.pid]);
  });

  it('remembers sessions of this boot alone', () => {
    const { platform } = createCounting();
    const store = createMemoryStore();
    const binding = { agent: 'claude', session: 'A', rootPid: 10, rootStartTicks: 5 };
    store.rememberMarks('b', { processes: [], bindings: [{ ...binding, session: 'old', bootId: 'another' }] });
    const reader = createMarksReader(platform, store);
    reader.read('b', [], [claude]);
    reader.remember('b', { ...nothing, bindings: [binding] });
    expect(reader.read('b', [], [claude]).bindings).toEqual([binding]);
    expect(createMarksReader(platform, store).read('b', [], [claude]).bindings).toMatchObject([binding]);
  });

  it('goes on where nothing can be written', async () => {
    const { platform } = createCounting();
    const memory: MarkMemory = {
      marks: () => ({ processes: [], bindings: [] }),
      rememberMarks() {
        throw new Error('no space');
      },
    };
    const member = await startMarked(platform, TOOL);
    const reader = createMarksReader(platform, memory);
    reader.read('b', [member], [claude]);
    reader.remember('b', nothing);
    expect(reader.read('b', [member], [claude]).byPid.get(member.pid)?.marks).toHaveLength(1);
  });

  it('knows nothing of a process that has gone', () => {
    const { platform } = createCounting();
    const { byPid } = createMarksReader(platform, createMemoryStore()).read(
      'b',
      [{ pid: 2 ** 22, startTicks: 1 }],
      [claude],
    );
    expect(byPid.get(2 ** 22)).toEqual({ marks: [], output: undefined });
  });
});
