import { constants, getPriority, setPriority } from 'node:os';
import type { PriorityResult } from '../model/priority.ts';
import { listThreads } from '../platform/linux/threads.ts';

/** What is born while we look is found by the next pass; a pass that changes nothing is the last. */
const MAX_PASSES = 20;

/**
 * Lowers processes to nice 10, unless they are lower already, or restores those above 0 to 0. `readPids` is asked again
 * until a pass changes nothing, so that what was started meanwhile has it too; what they start later inherits it. On
 * Linux each thread has a nice value of its own (setpriority(2), "C library/kernel differences"). Restoring needs a
 * privilege on Unix (RLIMIT_NICE).
 */
export function setNiceness(readPids: () => readonly number[], below: boolean): PriorityResult {
  const done = new Set<number>();
  const refused = new Map<number, string>();
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    let changed = 0;
    for (const pid of readPids()) {
      if (refused.has(pid)) continue;
      const outcome = setProcess(pid, below);
      if (outcome.status === 'refused') refused.set(pid, outcome.code);
      if (outcome.status === 'done') done.add(pid);
      if (outcome.status === 'done' && outcome.changed) changed += 1;
    }
    if (changed === 0) break;
  }
  for (const pid of refused.keys()) done.delete(pid);
  return { done: [...done], refused: [...refused].map(([pid, code]) => ({ pid, code })), isLimit: false };
}

type Outcome =
  | { readonly status: 'done'; readonly changed: boolean }
  | { readonly status: 'gone' }
  | { readonly status: 'refused'; readonly code: string };

function setProcess(pid: number, below: boolean): Outcome {
  let outcome: Outcome = { status: 'gone' };
  for (const thread of listThreads(pid)) {
    const one = setThread(thread, below);
    if (one.status === 'refused') return one;
    if (one.status === 'done') {
      outcome = { status: 'done', changed: one.changed || (outcome.status === 'done' && outcome.changed) };
    }
  }
  return outcome;
}

function setThread(id: number, below: boolean): Outcome {
  const { PRIORITY_BELOW_NORMAL, PRIORITY_NORMAL } = constants.priority;
  try {
    const before = getPriority(id);
    const isAsAsked = below ? before >= PRIORITY_BELOW_NORMAL : before <= PRIORITY_NORMAL;
    if (!isAsAsked) setPriority(id, below ? PRIORITY_BELOW_NORMAL : PRIORITY_NORMAL);
    return { status: 'done', changed: !isAsAsked };
  } catch (error) {
    const code = (error as { info?: { code?: string } }).info?.code ?? 'EPERM';
    return code === 'ESRCH' ? { status: 'gone' } : { status: 'refused', code };
  }
}
