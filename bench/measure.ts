import { type SpawnSyncOptions, spawnSync } from 'node:child_process';

/** CPU (user and system) and wall time of one command, ms. */
export interface Cost {
  readonly cpuMs: number;
  readonly wallMs: number;
}

export interface Candidate {
  readonly name: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** On a terminal of its own, by script(1). */
  readonly tty?: boolean;
}

/**
 * Measures commands side by side: one of each per round, so that whatever else the machine does hits all of them. The
 * first round warms caches and does not count.
 */
export function measureRounds(candidates: readonly Candidate[], rounds: number): Map<string, Cost[]> {
  const costs = new Map(candidates.map(({ name }) => [name, [] as Cost[]]));
  for (let round = 0; round <= rounds; round++) {
    for (const candidate of candidates) {
      const cost = measureOnce(candidate);
      if (round > 0) costs.get(candidate.name)?.push(cost);
    }
  }
  return costs;
}

/**
 * `time` of bash takes the CPU from getrusage(2) of its one child, to the ms: this needs neither root nor a cgroup.
 */
export function measureOnce({ name, argv, env = {}, tty = false }: Candidate): Cost {
  const timed = `TIMEFORMAT='%R %U %S'; { time "$@" >&4 2>&5; } 4>&1 5>/dev/null 2>&3`;
  const words = ['bash', '-c', timed, 'bash', ...argv];
  const [command = '', ...args] = tty ? ['script', '-qefc', words.map(quote).join(' '), '/dev/null'] : words;
  const options: SpawnSyncOptions = {
    env: { ...process.env, ...env, TERM: tty ? 'xterm' : 'dumb' },
    stdio: ['ignore', tty ? 'pipe' : 'ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
    timeout: 60_000,
  };
  const { status, output } = spawnSync(command, args, options);
  const [wall = Number.NaN, user = Number.NaN, system = Number.NaN] = String(output?.[3]).trim().split(' ').map(Number);
  if (status !== 0 || Number.isNaN(system)) throw new Error(`${name}: status ${status}: ${argv.join(' ')}`);
  return { cpuMs: (user + system) * 1000, wallMs: wall * 1000 };
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
