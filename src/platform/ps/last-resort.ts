import type { PsRow } from './parse-table.ts';
import { ProgramError, type RunProgram } from './run-program.ts';

/** The program that asks pidtree and ps-tree (list-processes.ts), and the Node that runs it. */
export interface LastResortProgram {
  readonly node: string;
  /** Undefined where this installation has none. */
  readonly script: string | undefined;
}

/** Pids and parents, and nothing else. */
export interface LastResort {
  /** Throws ProgramError if nothing at all can be listed. */
  table(): PsRow[];
}

/**
 * Lists processes where `ps` does not tell starts. As the start of each counts the time at which this process saw it
 * first, so that a pid that went away and came back is another process; to any other process these starts mean nothing.
 */
export function createLastResort(
  run: RunProgram,
  { node, script }: LastResortProgram,
  nowSeconds: () => number = () => Math.floor(Date.now() / 1000),
): LastResort {
  let firstSeen = new Map<number, number>();
  return {
    table() {
      if (script === undefined) throw new ProgramError('pidtree and ps-tree are not installed');
      const { text, status, pid: ownPid } = run(node, [script]);
      if (status !== 0) throw new ProgramError(`pidtree and ps-tree: ${text.trim() || 'no answer'}`);
      const now = nowSeconds();
      const found = parsePairs(text).filter(({ pid, ppid }) => pid !== ownPid && ppid !== ownPid);
      firstSeen = new Map(found.map(({ pid }) => [pid, firstSeen.get(pid) ?? now]));
      return found.map(({ pid, ppid, name }) => toRow(pid, ppid, name, firstSeen.get(pid) ?? now));
    },
  };
}

/** Parses lines `pid ppid name`; a line that is none is left out. */
export function parsePairs(text: string): { readonly pid: number; readonly ppid: number; readonly name: string }[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(\d{1,10}) (\d{1,10}) (.*)$/s.exec(line);
    return match === null ? [] : [{ pid: Number(match[1]), ppid: Number(match[2]), name: match[3] ?? '?' }];
  });
}

function toRow(pid: number, ppid: number, name: string, startSeconds: number): PsRow {
  return {
    ...{ pid, ppid, name, startSeconds },
    pgid: 0,
    sid: 0,
    tpgid: -1,
    uid: undefined,
    tty: undefined,
    state: name.includes('<defunct>') ? 'Z' : 'S',
    isSessionLeader: false,
    cpuMs: 0,
    rssBytes: 0,
  };
}
