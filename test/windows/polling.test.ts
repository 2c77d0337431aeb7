import { describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { win32 } from '../../src/platform/windows/ffi-call.ts';
import { openStore } from '../../src/state/file-store.ts';
import { createMemoryContext } from '../helpers/memory-context.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { capMs, sleeper } from './helpers/agent.ts';
import { bins, createRig, type Rig, startBlock } from './helpers/rig.ts';
import { startCounted } from './helpers/started.ts';
import { platform } from './helpers/windows-world.ts';

describe('what looks at processes on Windows', () => {
  it.each([['ps'], ['blocks'], ['tree'], ['ports'], ['entries'], ['doctor']])(
    'starts no other program for %s',
    async (command) => {
      const rig = createRig();
      const { agent } = await startBlock(rig, 'b1');
      await agent.start(sleeper);
      const { ended } = startCounted(rig, [process.execPath, bins.agentmux, command, '--json']);
      expect(await ended).toEqual({ exitCode: 0, started: 1 });
    },
  );

  it('starts none while it polls', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const words = ['events', '--json', '--interval', '200ms', '--count', '4'];
    const { ended } = startCounted(rig, [process.execPath, bins.agentmux, ...words]);
    let result: Awaited<typeof ended> | undefined;
    void ended.then((value) => {
      result = value;
    });
    // It tells of what comes after its first look, whenever that was.
    await waitFor('four events', async () => (await agent.start(sleeper)) && result, capMs);
    expect(result).toEqual({ exitCode: 0, started: 1 });
  });

  it('makes few native calls for one ps: some for the table, and some for each member', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const members = 10;
    const counts: number[] = [];
    for (const _ of [1, 2]) {
      for (let count = 0; count < members; count += 1) await agent.start(sleeper);
      counts.push(await callsOf(rig, 'ps', '--json'));
    }
    const [few = 0, many = 0] = counts;
    const each = (many - few) / members;
    console.log(`  native calls of ps: ${few} with ${members} members, ${each} for each more`);
    expect(each).toBeGreaterThan(0);
    expect(each).toBeLessThan(30);
    expect(few - members * each).toBeLessThan(150);
  });
});

/** Native calls that a command makes, in this process. */
async function callsOf(rig: Rig, ...words: string[]): Promise<number> {
  const { machineId } = platform.host();
  const isMemberAlive = (member: { pid: number; startTicks: number; bootId: string }) =>
    platform.isAlive({ ...member, pidNamespace: '' });
  const { directories: guard } = platform;
  const store = openStore({ directory: rig.stateDirectory, uid: undefined, guard, machineId, isMemberAlive });
  const context = createMemoryContext({ platform, store, env: rig.env });
  const before = win32.count;
  expect(await main(words, context), context.stderr.text).toBe(0);
  const { rows } = JSON.parse(context.stdout.text) as { rows: readonly object[] };
  expect(rows.length).toBeGreaterThan(0);
  return win32.count - before;
}
