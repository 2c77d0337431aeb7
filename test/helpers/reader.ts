import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { daemonCommand } from './fake-agent.ts';
import { readRow } from './procfs.ts';
import { isRoot } from './skip.ts';

/** How the built commands read processes: by this system's own reader, by `ps`, or by programs that print macOS' formats. */
export type Reader = 'native' | 'ps' | 'darwin';

/** RIG_READER is that of every rig which names none: `npm run test:ps` runs all of the suite with each of the two others. */
export const suiteReader: Reader = toReader(process.env['RIG_READER']);
export const isNativeReader = suiteReader === 'native';

/** The ways to know members that are worth a run of their own: by `ps` all of them are a scan. */
export const trackers = isNativeReader ? ['auto', 'scan'] : ['scan'];
/** The same, for tests that would only be told by `auto` what a scan gave. */
export const surestTrackers = isNativeReader && isRoot ? ['cgroup', 'scan'] : ['scan'];

/** Variables that choose a reader. With the two that are not native, all that there is to track by is a scan. */
export function variablesFor(reader: Reader): Record<string, string> {
  const path = process.env['PATH'] ?? '/usr/bin:/bin';
  if (reader === 'native') return { PATH: path };
  if (reader === 'ps') return { PATH: path, AGENTMUX_PROCESS_TABLE: 'ps' };
  return { PATH: `${resolve('test/fixtures/darwin/bin')}:${path}`, AGENTMUX_PROCESS_TABLE: 'ps-darwin' };
}

/** The start of a process as the suite's reader counts it: clock ticks since the boot, by `ps` seconds since 1970. */
export function readStart(pid: number): number | undefined {
  if (isNativeReader) return readRow(pid)?.startTicks;
  const env = { ...variablesFor(suiteReader), LC_ALL: 'C', TZ: 'UTC0' };
  const { stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { env, encoding: 'utf8' });
  return stdout.trim() === '' ? undefined : Date.parse(`${stdout.trim()} UTC`) / 1000;
}

/**
 * Words of a shell that let it live until its children were seen: macOS hides the environments of its own programs, so that
 * of an orphan among these only its group or session tells, if a look of the wrapper, one a second, had found its leader.
 */
export const untilSeen = suiteReader === 'darwin' ? 'sleep 3; ' : '';

/** A daemon below a tool of the agent: one that by this reader is still found when its parent has gone. */
export function orphanCommand(body: string): string {
  if (isNativeReader) return daemonCommand(body);
  const daemon = `setsid /bin/sh -c 'cd /; ${body} & ${untilSeen}exit 0' >/dev/null 2>&1 </dev/null`;
  return untilSeen === '' ? `(${daemon} &)` : `( (${daemon} & ${untilSeen}true) & )`;
}

/** What cannot be told, or does not exist, where processes are not read by procfs; the reason of a skip. */
export const notByPs = (what: string): string => `processes are read by ps: ${what}`;

/** The memory of a process, as a pattern: `ps` does not tell how much is its own. */
export const memoryPattern = isNativeReader ? '\\S+ [KM]iB' : '-';

/** Our escapes (`\\x1b`, `\\n`) in a pattern, as they are shown: procps puts other signs in their place, macOS `^[`. */
export function escapesPattern(pattern: string): string {
  if (isNativeReader) return pattern;
  return pattern.replaceAll(/\\\\(?:x[0-9a-f]{2}|[nt])/g, suiteReader === 'ps' ? '[? ]' : '\\^[@-_]');
}

/** A command line as it is shown: `ps` knows no words, so that nothing is quoted. */
export function shownCommand(quoted: string): string {
  return isNativeReader ? quoted : quoted.replaceAll("'", '');
}

function toReader(name = 'native'): Reader {
  if (name === 'native' || name === 'ps' || name === 'darwin') return name;
  throw new Error(`RIG_READER=${name} is none of native, ps, darwin`);
}
