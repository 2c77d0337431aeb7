import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { agentmuxRun, type Bed, openBed } from './beds.ts';
import { type BudgetRow, ratioRow } from './report.ts';
import { medianRatio } from './stats.ts';

const rounds = 5;
const settleMs = 1500;

/** Resident memory of a wrapper whose agent idles, against that of an idle Node. */
export async function benchMemory(): Promise<BudgetRow[]> {
  const wrappers: Record<string, number[]> = { auto: [], scan: [] };
  const nodes: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await using bed: Bed = openBed();
    const agent = ['sh', '-c', 'echo ready; exec sleep 600'];
    const idle = await bed.start([process.execPath, '-e', 'console.log("ready"); setInterval(() => {}, 1e6)']);
    const started = await Promise.all(
      Object.keys(wrappers).map(async (tracker) => {
        const wrapper = await bed.start([...agentmuxRun, '--tracker', tracker, '--', ...agent]);
        return [tracker, wrapper.pid] as const;
      }),
    );
    // Past the work that the start leaves for later.
    await delay(settleMs);
    nodes.push(readRssKib(idle.pid));
    for (const [tracker, pid] of started) wrappers[tracker]?.push(readRssKib(pid));
  }
  return Object.entries(wrappers).map(([tracker, values]) =>
    ratioRow(`memory of the wrapper, tracker ${tracker}`, medianRatio(values, nodes), 1.25, 'an idle node'),
  );
}

function readRssKib(pid: number | undefined): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
