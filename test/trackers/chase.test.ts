import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createLinuxPlatform } from '../../src/platform/linux/linux-platform.ts';
import { chase } from '../../src/trackers/chase.ts';
import { startProcess } from '../helpers/processes.ts';
import { isAlive } from '../helpers/procfs.ts';
import { waitFor } from '../helpers/wait-for.ts';

it('does not take a thread of whom it spares for a process, though its id was given out last', async () => {
  const { pid } = startProcess(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  const threads = () => readdirSync(`/proc/${pid}/task`).map(Number);
  const last = await waitFor('a second thread', () => threads().find((id) => id !== pid));
  const sinceTicks = createLinuxPlatform().readStat(process.pid)?.startTicks ?? 0;
  await chase({
    platform: createLinuxPlatform(),
    pids: { list: () => [], last: () => last },
    known: [],
    isMember: (stat) => threads().includes(stat.pid),
    adopters: [],
    spare: new Set([pid]),
    sinceTicks,
    deadlineMs: 1000,
  });
  expect(isAlive(pid)).toBe(true);
});
