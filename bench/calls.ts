import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentmux, agentmuxRun, type Bed, crowd, openBed } from './beds.ts';
import { type BudgetRow, skippedRow } from './report.ts';

/** What one look costs in calls, which no noise of the machine changes, and that polling starts no helper. */
export async function benchCalls(): Promise<BudgetRow[]> {
  return [...(await benchLinux()), ...benchWindows()];
}

const what = {
  syscalls: 'Linux: system calls of ps --all --json for each member',
  files: 'Linux: files of /proc that it looks at for each member',
  helpers: 'Linux: processes started by 3 s of events --interval 100ms',
  native: 'Windows (Wine): native calls of ps --all --json for each member',
  rest: 'Windows (Wine): native calls for the table and the block',
  wineHelpers: 'Windows (Wine): starts no process while it polls',
};
const limits = { syscalls: 25, files: 13, native: 18, rest: 100 };

const few = 20;
const many = 80;

async function benchLinux(): Promise<BudgetRow[]> {
  if (spawnSync('strace', ['-qq', 'true']).status !== 0) {
    const reason = 'strace is not there, or may not trace';
    const { syscalls, files } = limits;
    return [
      skippedRow(what.syscalls, `<= ${syscalls}`, reason),
      skippedRow(what.files, `<= ${files}`, reason),
      skippedRow(what.helpers, '0', reason),
    ];
  }
  const [small, large] = [await tracePs(few), await tracePs(many)];
  const perMember = (count: (lines: readonly string[]) => number) => (count(large) - count(small)) / (many - few);
  return [
    countRow(
      what.syscalls,
      perMember(({ length }) => length),
      limits.syscalls,
    ),
    countRow(what.files, perMember(countFiles), limits.files),
    countRow(what.helpers, countStarts(await tracePolling()), 0),
  ];
}

/** The calls of one `ps` that lists so many members, a line each. */
async function tracePs(members: number): Promise<string[]> {
  await using bed: Bed = openBed();
  await bed.start([...agentmuxRun, '--block', 'bench', '--', ...crowd(members)]);
  const command = [...agentmux, 'ps', '--all', '--json'];
  // The first may write what it compiled.
  spawnSync(command[0] ?? '', command.slice(1), { env: { ...process.env, ...bed.env } });
  return trace(bed, command);
}

async function tracePolling(): Promise<string[]> {
  await using bed: Bed = openBed();
  await bed.start([...agentmuxRun, '--block', 'bench', '--', ...crowd(few)]);
  const calls = trace(bed, [...agentmux, 'events', '--json', '--interval', '100ms'], ['timeout', '-s', 'INT', '3']);
  const looks = calls.filter((line) => /getdents64|"\/proc\/\d+\/stat"/.test(line)).length;
  if (looks < 10 * few) throw new Error(`events looked at processes only ${looks} times`);
  return calls;
}

function trace({ env }: Bed, command: readonly string[], before: readonly string[] = []): string[] {
  const file = join(env['AGENTMUX_STATE_DIR'] ?? '', 'trace');
  const [first = '', ...words] = [...before, 'strace', '-f', '-qq', '-o', file, ...command];
  spawnSync(first, words, { env: { ...process.env, ...env }, stdio: 'ignore' });
  const lines = readFileSync(file, 'utf8').split('\n');
  // A call that another thread interrupts has a second line.
  const calls = lines.filter((line) => /^\d+ +\w+\(/.test(line));
  if (calls.length < 100) throw new Error(`${command.join(' ')}: only ${calls.length} system calls were seen`);
  return calls;
}

function countFiles(calls: readonly string[]): number {
  return calls.filter((line) => /"\/proc\/\d+/.test(line)).length;
}

/** Not its own start, and no threads. */
function countStarts(calls: readonly string[]): number {
  const programs = calls.filter((line) => /^\d+ +execve/.test(line)).length - 1;
  const forks = calls.filter((line) => /^\d+ +(clone3?|v?fork)\(/.test(line) && !line.includes('CLONE_THREAD'));
  return Math.max(programs, forks.length);
}

/** Counted by the tests for Windows, which fail by themselves if a process is started. */
function benchWindows(): BudgetRow[] {
  const words = ['scripts/test-windows.mjs', '--warm', '--node', '20', 'polling'];
  const { status, stdout } = spawnSync(process.execPath, words, { encoding: 'utf8' });
  const numbers = /native calls for \d+ processes: ([\d.]+), and ([\d.]+) for each process/.exec(stdout);
  const skipped = /^skipped: test:windows: (.*)$/m.exec(stdout)?.[1];
  if (numbers === null) {
    const reason = skipped ?? `the tests for Windows ended with ${status}`;
    const { native, rest } = limits;
    return [
      skippedRow(what.native, `<= ${native}`, reason),
      skippedRow(what.rest, `<= ${rest}`, reason),
      skippedRow(what.wineHelpers, 'none', reason),
    ];
  }
  const isPassed = /^ {2}✓ .* starts none while it polls/m.test(stdout);
  return [
    countRow(what.native, Number(numbers[2]), limits.native),
    countRow(what.rest, Number(numbers[1]), limits.rest),
    { what: what.wineHelpers, measured: isPassed ? 'none' : 'some', budget: 'none', ok: isPassed },
  ];
}

function countRow(name: string, count: number, limit: number): BudgetRow {
  return { what: name, measured: count.toFixed(1), budget: `<= ${limit}`, ok: count <= limit };
}
