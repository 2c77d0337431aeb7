import { baseName, isShell } from '../filter/shells.ts';
import type { ProcessStat } from '../model/process.ts';
import type { Platform } from './platform.ts';

/**
 * Numbers of the sessions that a process shares with what was started from the same place, nearest first: its own
 * (setsid(2)). Windows has none: there all shells above it stand for them, each by its start, which is finer than any two
 * shells are apart; without a shell the program that started it does.
 */
export function readOwnSessions(platform: Platform, pid: number): readonly number[] {
  if (platform.os === 'win32') return readShells(platform, pid);
  const sid = platform.readStat(pid)?.sid;
  return sid === undefined ? [] : [sid];
}

/** The same with those of its ancestors, each once; 0 is a session whose leader is outside our pid namespace. */
export function readAllSessions(platform: Platform, pid: number): readonly number[] {
  if (platform.os === 'win32') return readShells(platform, pid);
  const sids = new Set<number>();
  let stat = platform.readStat(pid);
  for (let depth = 0; stat !== undefined && depth < mostAncestors; depth += 1) {
    sids.add(stat.sid);
    stat = stat.ppid > 0 ? platform.readStat(stat.ppid) : undefined;
  }
  return [...sids];
}

/**
 * The session in which a process is, as far as two can be compared: where there is a pid namespace 0 is the one from
 * outside in which it began, since setsid(2) would have given it another; elsewhere 0 says nothing.
 */
export function sessionOf(platform: Pick<Platform, 'os'>, stat: ProcessStat | undefined): number | undefined {
  return stat === undefined || (stat.sid === 0 && platform.os !== 'linux') ? undefined : stat.sid;
}

const mostAncestors = 64;

/** A parent counts only if it is no younger than its child: its pid may have been given away. */
function readShells(platform: Platform, pid: number): number[] {
  const shells: number[] = [];
  let first: number | undefined;
  let stat = platform.readStat(pid);
  for (let depth = 0; stat !== undefined && depth < mostAncestors; depth += 1) {
    const parent = stat.ppid > 0 ? platform.readStat(stat.ppid) : undefined;
    if (parent === undefined || parent.startTicks > stat.startTicks) break;
    first ??= parent.startTicks;
    if (isShell(baseName(parent.comm))) shells.push(parent.startTicks);
    stat = parent;
  }
  return shells.length > 0 || first === undefined ? shells : [first];
}
