import { ProgramError, type RunProgram } from './run-program.ts';

/** Files of a process that are asked for by name (`cwd`) or descriptor (`1`). */
export type FileSlot = 'cwd' | '1' | '2';

/** Reads which files processes have open, by lsof(8). */
export interface FileReader {
  /** Its path, or how lsof names what has none; undefined if unreadable. */
  read(pid: number, slot: FileSlot): string | undefined;
}

/** How long an answer is good, ms: one listing asks for many processes one after another. */
const GOOD_MS = 1000;

/**
 * Asks for one process at first, and at the next one for all at once: a call costs the same for one as for hundreds.
 */
export function createFileReader(run: RunProgram, nowMs: () => number = () => performance.now()): FileReader {
  let known = new Map<number, ReadonlyMap<string, string>>();
  let readAt = Number.NEGATIVE_INFINITY;
  let isWhole = false;

  function refill(pid: number): void {
    const now = nowMs();
    const isFirst = now - readAt > GOOD_MS;
    if (isFirst) known = new Map();
    isWhole = !isFirst;
    readAt = now;
    const selection = isFirst ? ['-a', '-p', String(pid)] : [];
    for (const [one, files] of list(run, selection)) known.set(one, files);
  }

  return {
    read(pid, slot) {
      if (nowMs() - readAt > GOOD_MS || !(isWhole || known.has(pid))) refill(pid);
      return known.get(pid)?.get(slot);
    },
  };
}

function list(run: RunProgram, selection: readonly string[]): Map<number, Map<string, string>> {
  try {
    return parseFiles(run('lsof', ['-nP', ...selection, '-d', 'cwd,1,2', '-Ffn']).text);
  } catch (error) {
    if (error instanceof ProgramError) return new Map();
    throw error;
  }
}

/**
 * Parses the fields that `lsof -F` prints, one a line (lsof(8), "OUTPUT FOR OTHER PROGRAMS"): `p` begins a process, `f`
 * names a file of it, `n` is where that is.
 */
export function parseFiles(text: string): Map<number, Map<string, string>> {
  const byPid = new Map<number, Map<string, string>>();
  let files: Map<string, string> | undefined;
  let slot = '';
  for (const line of text.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('p')) {
      files = new Map();
      if (/^\d+$/.test(value)) byPid.set(Number(value), files);
    } else if (line.startsWith('f')) slot = value;
    else if (line.startsWith('n') && slot !== '' && files?.has(slot) === false) {
      if (!UNREADABLE.test(value)) files.set(slot, decodeName(value));
    }
  }
  return byPid;
}

/** What lsof says in place of a file that it may not look at, on Linux: `/proc/7/cwd (readlink: Permission denied)`. */
const UNREADABLE = /^\/proc\/\d+\/\S+ \((?:readlink|stat|lstat|opendir): .*\)$/;

/** lsof prints what is not printable in its locale as `\xc3\xa4`; undone where that makes whole UTF-8 characters. */
function decodeName(name: string): string {
  return name.replace(/(?:\\x[0-9a-f]{2})+/g, (run) => {
    const bytes = run.match(/[0-9a-f]{2}/g)?.map((pair) => Number.parseInt(pair, 16)) ?? [];
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
    } catch {
      return run;
    }
  });
}
