import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BudgetRow } from './report.ts';
import { median } from './stats.ts';

const rounds = 60;
const bashwrap = resolve('bin/agentmux-bashwrap');
const limits = { hookMs: 5, prefixMs: 3 } as const;

/**
 * What the label hook and the shell prefix cost: their wall time over that of /bin/true, one of each a round. The prefix
 * runs /bin/true by the shell that it becomes, whose start claude pays once without it too.
 */
export async function benchLabels(): Promise<BudgetRow[]> {
  const directory = mkdtempSync(join(tmpdir(), 'agentmux-bench-'));
  try {
    return measure(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measure(directory: string): BudgetRow[] {
  const calls = join(directory, 'calls');
  mkdirSync(calls, { mode: 0o700 });
  const input = join(directory, 'input.json');
  writeFileSync(input, JSON.stringify({ hook_event_name: 'PreToolUse', tool_input: { command: 'x'.repeat(400) } }));
  const commands: readonly (readonly [name: string, argv: readonly string[]])[] = [
    ['true', ['/bin/true']],
    ['hook', [bashwrap, '--hook']],
    ['shell', ['/bin/bash', '-c', 'exec /bin/true']],
    ['prefix', [bashwrap, 'exec /bin/true']],
  ];
  const times = new Map(commands.map(([name]) => [name, [] as number[]]));
  for (let round = -3; round < rounds; round += 1) {
    for (const [name, argv] of commands) {
      const ms = timeOnce(argv, input, { ...environment, AGENTMUX_CALLS: calls });
      if (round >= 0) times.get(name)?.push(ms);
    }
    if (readdirSync(calls).length < 2) throw new Error('no record was written');
    for (const name of readdirSync(calls)) unlinkSync(join(calls, name));
  }
  const over = (name: string, reference: string) =>
    median((times.get(name) ?? []).map((ms, i) => ms - (times.get(reference)?.[i] ?? Number.NaN)));
  return [
    row('label hook over /bin/true', over('hook', 'true'), limits.hookMs),
    row('shell prefix over /bin/true, its shell included', over('prefix', 'true'), limits.prefixMs),
    row('shell prefix over its shell alone', over('prefix', 'shell'), limits.prefixMs),
  ];
}

const environment = {
  PATH: '/usr/bin:/bin',
  SHELL: '/bin/bash',
  AI_AGENT: 'x_agent',
  CLAUDE_CODE_SESSION_ID: 's',
  CLAUDE_PID: '1',
};

function timeOnce(argv: readonly string[], input: string, env: Readonly<Record<string, string>>): number {
  const [program = '', ...args] = argv;
  const stdin = openSync(input, 'r');
  const start = performance.now();
  const { status } = spawnSync(program, args, { env, stdio: [stdin, 'ignore', 'inherit'] });
  const ms = performance.now() - start;
  closeSync(stdin);
  if (status !== 0) throw new Error(`status ${status}: ${argv.join(' ')}`);
  return ms;
}

function row(what: string, ms: number, limit: number): BudgetRow {
  return { what, measured: `${ms.toFixed(2)} ms`, budget: `<= ${limit} ms`, ok: ms <= limit };
}
