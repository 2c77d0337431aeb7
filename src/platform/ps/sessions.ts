import type { PsRow } from './parse-table.ts';

/**
 * Sessions by pid where `ps` tells leaders but not sessions. A session is inherited at fork and left only by becoming a
 * leader (setsid(2)), and a process group lies within one session. So it is that of the nearest leader above; where the
 * parents have gone, that of the leader of the process group, and if that one has gone too, the group's own number: what
 * a shell without job control starts is in the group that its session's leader made.
 */
export function findSessions(rows: readonly PsRow[]): Map<number, number> {
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const sessions = new Map<number, number>();
  for (const row of rows) if (row.isSessionLeader) sessions.set(row.pid, row.pid);

  const orphans: PsRow[] = [];
  for (const row of rows) {
    const session = climb(row, byPid, sessions);
    if (session === undefined) orphans.push(row);
    else sessions.set(row.pid, session);
  }
  for (const { pid, pgid } of orphans) sessions.set(pid, sessions.get(pgid) ?? pgid);
  return sessions;
}

/** Undefined where the way up ends at the process that adopts orphans. */
function climb(
  row: PsRow,
  byPid: ReadonlyMap<number, PsRow>,
  sessions: ReadonlyMap<number, number>,
): number | undefined {
  const visited = new Set<number>();
  for (let at: PsRow | undefined = row; at !== undefined && !visited.has(at.pid); at = byPid.get(at.ppid)) {
    const known = sessions.get(at.pid);
    if (known !== undefined) return at.pid === 1 && row.pid !== 1 ? undefined : known;
    if (at.pid <= 1) return undefined;
    visited.add(at.pid);
  }
  return undefined;
}
