import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { main } from '../../src/main.ts';
import { win32 } from '../../src/platform/windows/ffi-call.ts';
import { openStore } from '../../src/state/file-store.ts';
import { createMemoryContext } from '../helpers/memory-context.ts';
import { sleeper } from './helpers/agent.ts';
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
      expect(await ended).toEqual(await countBare(rig));
    },
  );

  it('starts none while it polls', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const words = ['events', '--json', '--interval', '200ms', '--count', '4'];
    const { ended } = startCounted(rig, [process.execPath, bins.agentmux, ...words]);
    const mostStarts = 40;
    let result: Awaited<typeof ended> | undefined;
    void ended.then((value) => {
      result = value;
    });
    // It tells of what comes after its first look, whenever that was.
    for (let count = 0; result === undefined && count < mostStarts; count += 1) {
      await agent.startTool(sleeper.join(' '));
      await delay(500);
    }
    expect(result).toEqual(await countBare(rig));
  });

  it('makes few native calls for one ps: some for the table, and some for each member', async () => {
    const rig = createRig();
    const { agent } = await startBlock(rig, 'b1');
    const looks: { calls: number; processes: number }[] = [];
    for (const _ of [1, 2]) {
      for (let count = 0; count < 10; count += 1) await agent.start(sleeper);
      // The first of all asks some things once.
      if (looks.length === 0) await callsOf(rig, 'ps', '--all', '--json');
      looks.push(await callsOf(rig, 'ps', '--all', '--json'));
    }
    const [few = nothing, many = nothing] = looks;
    const each = (many.calls - few.calls) / (many.processes - few.processes);
    const rest = few.calls - each * few.processes;
    console.log(
      `  ps: ${few.calls} native calls for ${few.processes} processes: ${rest.toFixed(1)}, and ${each.toFixed(1)} for each process`,
    );
    // Of these a third are needed only where a command line must be read from memory, as by Wine.
    expect(each).toBeLessThan(18);
    expect(rest).toBeLessThan(100);
  });
});

const nothing = { calls: 0, processes: 0 };

/** What a Node that does nothing counts: itself, and a host of its console where the system makes one. */
function countBare(rig: Rig): Promise<{ readonly exitCode: number | undefined; readonly started: number }> {
  return startCounted(rig, [process.execPath, '-e', '0']).ended;
}

/** Native calls that a command makes, in this process. */
async function callsOf(rig: Rig, ...words: string[]): Promise<{ calls: number; processes: number }> {
  const { machineId } = platform.host();
  const isMemberAlive = (member: { pid: number; startTicks: number; bootId: string }) =>
    platform.isAlive({ ...member, pidNamespace: '' });
  const { directories: guard } = platform;
  const store = openStore({ directory: rig.stateDirectory, uid: undefined, guard, machineId, isMemberAlive });
  const context = createMemoryContext({ platform, store, env: rig.env });
  const before = win32.count;
  expect(await main(words, context), context.stderr.text).toBe(0);
  const { rows } = JSON.parse(context.stdout.text) as { rows: readonly object[] };
  return { calls: win32.count - before, processes: rows.length };
}
