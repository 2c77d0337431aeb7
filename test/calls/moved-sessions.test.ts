import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeMovedSession, findMovedSessions } from '../../src/calls/moved-sessions.ts';
import { createMemoryStore } from '../../src/launch/memory-store.ts';
import type { BlockRecord } from '../../src/model/block.ts';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import { startProcess } from '../helpers/processes.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { sampleRecord } from '../state/sample.ts';

const SESSION = '5ca4e252-603c-4ea3-a167-f00e45c22fe6';
const platform = createLinuxPlatform();

/** A process that looks like claude: the shell by another name. */
async function startClaude(...args: string[]): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-claude-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  copyFileSync('/bin/bash', join(directory, 'claude'));
  const { pid } = startProcess(join(directory, 'claude'), ['-c', 'sleep 300; :', ...args], { detached: true });
  await waitFor('it to run', () => platform.readDetails(pid, { argv: true }).argv?.includes('sleep 300; :'));
  return pid;
}

function recordOf(agent: string): BlockRecord {
  const record = sampleRecord();
  const identity = platform.identify(process.pid);
  if (identity === undefined) throw new Error('this test cannot see itself');
  return { ...record, agent, runs: record.runs.map((run) => ({ ...run, wrapper: identity })) };
}

function storeWith(record: BlockRecord, session: string) {
  const store = createMemoryStore();
  const { bootId } = platform.host();
  const binding = { agent: 'claude', session, rootPid: 10, rootStartTicks: 5, bootId };
  store.rememberMarks(record.id, { processes: [], bindings: [binding] });
  return store;
}

it('finds the process outside that resumes a session of the block, and no other', async () => {
  const record = recordOf('claude');
  const store = storeWith(record, SESSION);
  const pid = await startClaude('--session-id', 'new', '--fork-session', '--resume', `/h/projects/p/${SESSION}.jsonl`);
  await startClaude('--resume', '/h/projects/p/another.jsonl');
  await startClaude('--session-id', SESSION);
  const moved = findMovedSessions(record, [], platform, store);
  expect(moved).toEqual([{ session: SESSION, pid }]);
  expect(moved.map((one) => describeMovedSession(one, record))).toEqual([
    `${record.id}: session ${SESSION} goes on in claude (pid ${pid}), outside this block`,
  ]);
  expect(findMovedSessions(record, [{ pid }], platform, store)).toEqual([]);
});

it('says nothing of a session that was never seen, and of agents that do not move', async () => {
  await startClaude('--resume', SESSION);
  expect(findMovedSessions(recordOf('claude'), [], platform, createMemoryStore())).toEqual([]);
  expect(findMovedSessions(recordOf('codex'), [], platform, storeWith(recordOf('codex'), SESSION))).toEqual([]);
});
