import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { BlockRecord } from '../model/block.ts';
import { readPopulated, removeGroup } from '../platform/linux/cgroup-fs.ts';
import { findOwnGroup } from '../platform/linux/cgroup-mount.ts';
import type { Platform } from '../platform/platform.ts';
import { nonceOf, parseGroupName } from './group-name.ts';

export interface SweepOptions {
  readonly platform: Platform;
  readonly records: readonly BlockRecord[];
  /** Wall clock, ms. */
  readonly nowMs: number;
  /** Group whose children are looked at; our own if left out. */
  readonly directory?: string;
}

/** A group without a record is left alone for so long: its block's file may be in another state directory. */
const UNKNOWN_AGE_MS = 60_000;
/** Bound of one sweep; the next one goes on. */
const MAX_GROUPS = 200;

/**
 * Removes empty groups that earlier blocks left beside ours: those whose wrapper is dead, and old ones that no record
 * names. Returns how many; never throws, and can hit nothing that holds a process (rmdir fails with EBUSY).
 */
export function sweepGroups(options: SweepOptions): number {
  const directory = options.directory ?? findOwnDirectory();
  if (directory === undefined) return 0;
  let removed = 0;
  for (const name of readNames(directory).slice(0, MAX_GROUPS)) {
    const group = join(directory, name);
    if (readPopulated(group) === false && isAbandoned(group, name, options) && removeGroup(group)) removed += 1;
  }
  return removed;
}

function findOwnDirectory(): string | undefined {
  const own = findOwnGroup();
  return own.status === 'found' ? own.directory : undefined;
}

function readNames(directory: string): string[] {
  try {
    return readdirSync(directory).filter((name) => !name.endsWith('.scope') && parseGroupName(name));
  } catch {
    return [];
  }
}

function isAbandoned(group: string, name: string, { platform, records, nowMs }: SweepOptions): boolean {
  const parsed = parseGroupName(name);
  const record = records.find((one) => one.id === parsed?.blockId && nonceOf(one.tag) === parsed.nonce);
  const wrapper = record?.runs.at(-1)?.wrapper;
  if (!wrapper) return ageOf(group, nowMs) > UNKNOWN_AGE_MS;
  const host = platform.host();
  if (record.machineId !== host.machineId) return false;
  // The namespace of an earlier boot says nothing: that wrapper is dead.
  if (wrapper.bootId === host.bootId && wrapper.pidNamespace !== host.pidNamespace) return false;
  return !platform.isAlive(wrapper);
}

function ageOf(group: string, nowMs: number): number {
  try {
    return nowMs - statSync(group).ctimeMs;
  } catch {
    return 0;
  }
}
