import { type FSWatcher, watch } from 'node:fs';
import type { Context } from '../../context.ts';
import { AgentmuxError } from '../../errors.ts';
import type { BlockRecord } from '../../model/block.ts';
import { formatAge, formatCount } from '../../render/format.ts';
import { findEnclosure } from '../../trackers/enclosures.ts';
import { type BlockView, inspectBlock } from '../../trackers/inspect.ts';

export type WaitCondition =
  | { readonly type: 'exited' }
  | { readonly type: 'empty' }
  | { readonly type: 'port'; readonly port: number };

/**
 * Resolves when the condition holds. Throws AgentmuxError `timedOut` after `timeoutMs`, and `failed` if the block ends
 * before its port is there.
 */
export async function waitForBlock(
  context: Context,
  record: BlockRecord,
  condition: WaitCondition,
  timeoutMs: number | undefined,
): Promise<void> {
  const end = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  const bell = openBell(condition.type === 'empty' ? findEnclosure(record) : undefined);
  try {
    while (!isMet(context, record.id, condition)) {
      const left = end - performance.now();
      if (left <= 0) throw timedOut(context, record, timeoutMs ?? 0);
      await bell.wait(Math.min(left, PAUSE_MS[condition.type]));
    }
  } finally {
    bell.close();
  }
}

/** Asked of two small files, the agent's end may be looked for often; a whole look costs a process table. */
const PAUSE_MS = { exited: 100, empty: 1000, port: 250 } as const;

function isMet(context: Context, id: string, condition: WaitCondition): boolean {
  const record = context.store.read(id);
  if (record === undefined) return metByRemoval(id, condition);
  if (condition.type === 'exited') return hasExited(context, record);
  const view = look(context, record);
  if (condition.type === 'empty') return view.members.length === 0 && view.status === 'ended';
  const { byPid } = context.platform.readListeners(view.members.map((member) => member.pid));
  if ([...byPid.values()].some((listeners) => listeners.some(({ port }) => port === condition.port))) return true;
  if (view.status === 'ended') throw endedWithoutPort(id, condition.port);
  return false;
}

/** Pruned is what had ended and was empty. */
function metByRemoval(id: string, condition: WaitCondition): true {
  if (condition.type === 'port') throw endedWithoutPort(id, condition.port);
  return true;
}

function hasExited(context: Context, record: BlockRecord): boolean {
  const run = record.runs.at(-1);
  if (run === undefined || record.state === 'ended') return true;
  if (run.root !== undefined) return !context.platform.isAlive(run.root);
  return !context.platform.isAlive(run.wrapper);
}

function look(context: Context, record: BlockRecord): BlockView {
  const { blocks } = context.store.list();
  const recorded = (id: string) => context.store.recorded(id);
  return inspectBlock(record, { platform: context.platform, records: blocks, recorded });
}

function endedWithoutPort(id: string, port: number): AgentmuxError {
  return new AgentmuxError('failed', `block "${id}" has ended, and no member listened on port ${port}`, {
    code: 'ended-without-port',
  });
}

function timedOut(context: Context, record: BlockRecord, timeoutMs: number): AgentmuxError {
  const { members } = look(context, record);
  const living = formatCount(members.length, 'process', 'processes');
  const after = timeoutMs < 1000 ? `${timeoutMs} ms` : formatAge(timeoutMs);
  return new AgentmuxError('timedOut', `waited ${after} for "${record.id}", of which ${living} still live`, {
    code: 'timed-out',
    hint: `agentmux ps --all --block ${record.id}`,
  });
}

interface Bell {
  /** Resolves when something changed in the enclosure, at the latest after `ms`. */
  wait(ms: number): Promise<void>;
  close(): void;
}

/** Rings when the kernel says that the group has got or lost its last process (cgroups(7), "cgroup.events"). */
function openBell(enclosure: string | undefined): Bell {
  let hasRung = false;
  let wake: (() => void) | undefined;
  const ring = (): void => {
    hasRung = true;
    wake?.();
  };
  const watcher = enclosure === undefined ? undefined : watchFile(`${enclosure}/cgroup.events`, ring);
  return {
    async wait(ms) {
      // A change during the look before counts too.
      if (!hasRung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      hasRung = false;
    },
    close: () => watcher?.close(),
  };
}

function watchFile(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    // An error comes when the group is removed: the next look tells.
    return watch(path, onChange).on('error', onChange);
  } catch {
    // The group has gone, or no watch is to be had: the pauses bound the wait.
    return undefined;
  }
}
