import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readTable } from '../test/helpers/procfs.ts';
import { agentmux, agentmuxRun, type Bed, bareNode, crowd, fillTable, openBed } from './beds.ts';
import { measureOnce } from './measure.ts';
import { type BudgetRow, skippedRow } from './report.ts';
import { median } from './stats.ts';

/** How long a view is measured, and before that left to settle, ms. */
const SPAN_MS = 20_000;
const SETTLE_MS = 8000;
/** CPU of a bare Node on the machine for which the budget stands, ms: a loaded one takes longer for both. */
const NOMINAL_NODE_MS = 40;
const BUDGET_PERCENT = 0.3;

/** CPU of a live view at 2 s, idle and with one busy member, and the helper programs that it starts. */
export async function benchWatch(): Promise<BudgetRow[]> {
  return [
    ...(await benchMembers(200, BUDGET_PERCENT)),
    // The design promises nothing for so many: told, not judged.
    ...(await benchMembers(2000, undefined)),
    await benchHelpers(),
  ];
}

async function benchMembers(members: number, budget: number | undefined): Promise<BudgetRow[]> {
  const rows: BudgetRow[] = [];
  for (const isBusy of [false, true]) {
    await using bed: Bed = openBed();
    const busy = isBusy ? `${process.execPath} -e 'setInterval(() => { for (let i = 0; i < 1e5; i++); }, 300)' & ` : '';
    const [shell = '', option = '', script = ''] = crowd(members);
    await bed.start([...agentmuxRun, '--block', 'bench', '--', shell, option, busy + script]);
    if (members < 200) await fillTable(bed, 200);
    const share = await measureView(bed);
    rows.push(
      toRow(`watch at 2 s, ${members} members, ${isBusy ? 'one of them busy' : 'nothing changes'}`, share, budget),
    );
  }
  return rows;
}

/** Percent of a core: as measured, and as it would be on the nominal machine. */
interface Share {
  readonly measured: number;
  readonly nominal: number;
}

async function measureView(bed: Bed): Promise<Share> {
  const pty = await bed.start(['python3', resolve('test/fixtures/pty.py'), '80', '24', ...agentmux, 'watch'], {
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
  });
  pty.stdout?.resume();
  const view = readTable().find(({ ppid }) => ppid === pty.pid);
  if (view === undefined) throw new Error('the view did not start');
  await delay(SETTLE_MS);
  const before = readCpuMs(view.pid);
  const nodes: number[] = [];
  const end = performance.now() + SPAN_MS;
  while (performance.now() < end) {
    nodes.push(measureOnce({ name: 'node -e 0', argv: bareNode }).cpuMs);
    await delay(SPAN_MS / 10);
  }
  const spent = readCpuMs(view.pid) - before;
  const span = performance.now() - (end - SPAN_MS);
  const measured = (spent / span) * 100;
  return { measured, nominal: measured / Math.max(1, median(nodes) / NOMINAL_NODE_MS) };
}

function toRow(what: string, { measured, nominal }: Share, budget: number | undefined): BudgetRow {
  return {
    what: `CPU of ${what}`,
    measured: `${nominal.toFixed(2)} % (${measured.toFixed(2)} % under the load here)`,
    budget: budget === undefined ? 'none' : `<= ${budget} % of a core`,
    ok: budget === undefined ? undefined : nominal <= budget,
  };
}

/** User and system time, ms (proc_pid_stat(5), fields 14 and 15). */
function readCpuMs(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function benchHelpers(): Promise<BudgetRow> {
  const what = 'programs started by 5 looks of watch';
  if (spawnSync('strace', ['-V']).status !== 0) return skippedRow(what, '0', 'no strace');
  await using bed: Bed = openBed();
  await bed.start([...agentmuxRun, '--block', 'bench', '--', ...crowd(20)]);
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-strace-'));
  try {
    const log = join(directory, 'log');
    const looks = ['watch', '--json', '--count', '5', '--interval', '200ms'];
    const { status } = spawnSync('strace', ['-f', '-qq', '-e', 'trace=execve', '-o', log, ...agentmux, ...looks], {
      env: { ...process.env, ...bed.env },
      stdio: 'ignore',
    });
    if (status !== 0) return skippedRow(what, '0', 'strace may not trace here');
    // The first is the command itself.
    const started =
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.includes('execve(')).length - 1;
    return { what, measured: String(started), budget: '0', ok: started === 0 };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
