import { readRecord } from './read-small.ts';

/** Name of the variable that carries the nonce of a block. */
const TAG_ENTRY = Buffer.from('AGENTMUX_TAG=');

/** Which of the tags the environment of the process holds; undefined if none, or if it is not ours to see. */
export function readTag(procRoot: string, pid: number, tags: ReadonlySet<string>): string | undefined {
  if (tags.size === 0) return undefined;
  const bytes = readRecord(`${procRoot}/${pid}/environ`);
  return bytes && parseTag(bytes, tags);
}

/**
 * Finds an exact entry `AGENTMUX_TAG=<tag>` of one of the tags, from one NUL to the next; a longer name or value that
 * merely contains it is none. Searches bytes and decodes only what follows the name.
 */
export function parseTag(bytes: Buffer, tags: ReadonlySet<string>): string | undefined {
  let at = bytes.indexOf(TAG_ENTRY);
  while (at !== -1) {
    const from = at + TAG_ENTRY.length;
    const end = bytes.indexOf(0, from);
    if (end === -1) return undefined;
    if (at === 0 || bytes[at - 1] === 0) {
      const tag = bytes.toString('utf8', from, end);
      if (tags.has(tag)) return tag;
    }
    at = bytes.indexOf(TAG_ENTRY, end);
  }
  return undefined;
}

/** The variables of these names; undefined if the environment is not ours to see. */
export function readVariables(
  procRoot: string,
  pid: number,
  names: ReadonlySet<string>,
): Map<string, string> | undefined {
  const bytes = readRecord(`${procRoot}/${pid}/environ`);
  return bytes && parseVariables(bytes, names);
}

/** Finds whole entries `NAME=value`, of two the first, as getenv(3) does. Decodes only what is asked for. */
export function parseVariables(bytes: Buffer, names: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const name of names) {
    const value = findValue(bytes, Buffer.from(`${name}=`));
    if (value !== undefined) found.set(name, value);
  }
  return found;
}

function findValue(bytes: Buffer, start: Buffer): string | undefined {
  for (let at = bytes.indexOf(start); at !== -1; at = bytes.indexOf(start, at + 1)) {
    if (at !== 0 && bytes[at - 1] !== 0) continue;
    const end = bytes.indexOf(0, at);
    return bytes.toString('utf8', at + start.length, end === -1 ? bytes.length : end);
  }
  return undefined;
}

/** Environment entries (`NAME=value`) of a process; undefined if they are not ours to see. Never to be stored. */
export function readEnvironment(procRoot: string, pid: number): string[] | undefined {
  const bytes = readRecord(`${procRoot}/${pid}/environ`);
  return bytes && parseEnvironment(bytes);
}

/** Parses proc_pid_environ(5); empty entries, left by a process that wrote over the area, are dropped. */
export function parseEnvironment(bytes: Buffer): string[] {
  return bytes
    .toString('utf8')
    .split('\0')
    .filter((entry) => entry !== '');
}
