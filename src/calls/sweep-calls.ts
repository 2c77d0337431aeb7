import fs from 'node:fs';
import path from 'node:path';
import type { Call } from '../model/call.ts';
import type { Platform } from '../platform/platform.ts';
import { readCallProcesses } from './call-processes.ts';
import type { HookRecord } from './hook-record.ts';
import { type CallIndex, joinCalls, labelProcesses } from './join.ts';
import { readCalls } from './read-calls.ts';

/**
 * Removes the records of calls of which nothing lives, and the directory if nothing of any call does. For the start and
 * the end of a run. Best effort, never throws; files that are none of ours stay.
 */
export function sweepCalls(directory: string, uid: number | undefined, platform: Platform): void {
  try {
    const stat = fs.lstatSync(directory, { throwIfNoEntry: false });
    if (stat?.isDirectory() !== true || (uid !== undefined && stat.uid !== uid)) return;
    const names = fs.readdirSync(directory).filter((name) => /^(hook\.|call\.|report|settings\.json$)/.test(name));
    const kept = names.length === 0 ? new Set<string>() : findWanted(directory, uid, platform);
    for (const name of names) {
      const isKept = kept.size > 0 && (kept.has(name) || /^(report|settings)/.test(name));
      if (!isKept) removeFile(path.join(directory, name));
    }
    fs.rmdirSync(directory);
  } catch {
    // It is kept, or somebody else was faster.
  }
}

/** Names of the records of calls that have a live process. */
function findWanted(directory: string, uid: number | undefined, platform: Platform): Set<string> {
  const records = readCalls(directory, uid);
  const index = joinCalls(records);
  const pids = platform.readTable().map(({ pid }) => pid);
  const live = new Set(labelProcesses(index, readCallProcesses(pids, platform)).values());
  const names = [...index.byName].filter(([, call]) => live.has(call)).map(([name]) => name);
  return new Set([...names, ...records.hooks.filter((hook) => isOf(hook, live, index)).map(({ name }) => name)]);
}

/** Of two equal calls that cannot be told apart both records are kept; so is that of a call that waits to be allowed. */
function isOf({ toolId, sessionId, command }: HookRecord, live: ReadonlySet<Call>, index: CallIndex): boolean {
  if (live.size === 0) return false;
  if (
    index.calls.every((call) => call.toolId !== toolId && (call.sessionId !== sessionId || call.command !== command))
  ) {
    return true;
  }
  return [...live].some((call) =>
    call.toolId === undefined ? call.sessionId === sessionId && call.command === command : call.toolId === toolId,
  );
}

function removeFile(file: string): void {
  try {
    fs.unlinkSync(file);
  } catch {
    // Gone already, or not ours to remove.
  }
}
