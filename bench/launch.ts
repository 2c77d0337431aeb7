import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { agentmuxRun, type Bed, openBed } from './beds.ts';
import { type BudgetRow, ratioRow, skippedRow } from './report.ts';
import { median, medianRatio } from './stats.ts';

const rounds = 21;
const limits = { cgroup: 1.25, scan: 1.6 } as const;
type Kind = keyof typeof limits;

/** Time from the call to the agent's first instruction, against a whole `node -e 0`: both are wall time. */
export async function benchLaunch(): Promise<BudgetRow[]> {
  await using bed: Bed = openBed();
  const times: Record<Kind | 'node', number[]> = { cgroup: [], scan: [], node: [] };
  const kinds = (Object.keys(limits) as Kind[]).filter((kind) => canTrack(kind, bed));
  for (let round = 0; round <= rounds; round++) {
    const values = { node: timeNode(), ...Object.fromEntries(kinds.map((kind) => [kind, timeAgent(kind, bed)])) };
    if (round === 0) continue;
    for (const [name, value] of Object.entries(values)) times[name as Kind].push(value);
  }
  const rows = Object.entries(limits).map(([kind, limit]) => {
    const what = `agent's first instruction, ${kind}`;
    if (times[kind as Kind].length === 0) return skippedRow(what, `<= ${limit} x node -e 0`, 'no such tracker here');
    const row = ratioRow(what, medianRatio(times[kind as Kind], times.node), limit, 'node -e 0');
    return { ...row, measured: `${row.measured} (${median(times[kind as Kind]).toFixed(0)} ms)` };
  });
  const scope = skippedRow('a systemd scope adds', '<= 60 ms', 'measured by npm run test:systemd');
  return existsSync('/run/systemd/system') ? rows : [...rows, scope];
}

function canTrack(kind: Kind, bed: Bed): boolean {
  const { status } = runAgent(kind, bed);
  return status === 0;
}

/** The agent is date(1): its clock is read about 1 ms after its first instruction. */
function timeAgent(kind: Kind, bed: Bed): number {
  const start = now();
  const { stdout } = runAgent(kind, bed);
  return Number(stdout) / 1e6 - start;
}

function runAgent(kind: Kind, bed: Bed): { readonly status: number | null; readonly stdout: string } {
  const require = kind === 'cgroup' ? ['--require', 'cgroup'] : ['--tracker', kind];
  const [command = '', ...args] = [...agentmuxRun, ...require, '--', 'date', '+%s%N'];
  return spawnSync(command, args, { env: { ...process.env, ...bed.env }, encoding: 'utf8' });
}

function timeNode(): number {
  const start = now();
  spawnSync(process.execPath, ['-e', '0']);
  return now() - start;
}

/** Wall clock, ms since the epoch with fractions. */
function now(): number {
  return performance.timeOrigin + performance.now();
}
