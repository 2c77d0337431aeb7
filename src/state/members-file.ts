import fs from 'node:fs';
import { InvalidField, integerAt, objectAt, textAt } from './guards.ts';
import type { RecordedMember } from './store.ts';
import { systemErrorCode } from './system-error.ts';
import { replaceFile } from './whole-file.ts';

/** Above this a file is written anew without the ended and the repeated. */
export const MAX_MEMBERS_BYTES = 1_048_576;

/** Read is the newest part only, should a file have grown beyond all measure. */
const MAX_READ_BYTES = 4 * MAX_MEMBERS_BYTES;

const { O_WRONLY, O_RDONLY, O_APPEND, O_CREAT, O_NONBLOCK = 0, O_NOFOLLOW = 0, O_NOCTTY = 0 } = fs.constants;

/**
 * Appends one line of JSON a member by a single write, which O_APPEND keeps apart from those of other processes
 * (write(2)), and compacts the file when it has grown large. Errors are the system's.
 */
export function appendMembers(
  file: string,
  members: readonly RecordedMember[],
  isAlive: (member: RecordedMember) => boolean,
): void {
  if (members.length === 0) return;
  // The leading line end closes a line that a killed or space-starved writer left torn.
  const bytes = Buffer.from(`\n${members.map(line).join('\n')}\n`);
  const fd = fs.openSync(file, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY, 0o600);
  let size: number;
  try {
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(fd, bytes, done);
    size = fs.fstatSync(fd).size;
  } finally {
    fs.closeSync(fd);
  }
  if (size > MAX_MEMBERS_BYTES) replaceFile(file, compact(readMembers(file), isAlive));
}

/** The members of a file, oldest first, none twice. Torn lines are skipped; an unreadable file has none. Never throws. */
export function readMembers(file: string): RecordedMember[] {
  const members = new Map<string, RecordedMember>();
  for (const text of readNewest(file).split('\n')) {
    const member = parseMember(text);
    if (member === undefined) continue;
    const key = memberKey(member);
    members.delete(key);
    members.set(key, member);
  }
  return [...members.values()];
}

/** Equal for two records of the same process. */
export function memberKey(member: RecordedMember): string {
  return `${member.pid}:${member.startTicks}:${member.bootId}`;
}

/** Parses one line; undefined if it is torn or holds what no identity can. */
export function parseMember(text: string): RecordedMember | undefined {
  if (text === '') return undefined;
  try {
    const json = objectAt(JSON.parse(text), 'member');
    return {
      pid: integerAt(json['pid'], 'pid', 2, 0xffff_ffff),
      startTicks: integerAt(json['startTicks'], 'startTicks', 0, 2 ** 63),
      bootId: textAt(json['bootId'], 'bootId', 256),
    };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidField) return undefined;
    throw error;
  }
}

function line({ pid, startTicks, bootId }: RecordedMember): string {
  return JSON.stringify({ pid, startTicks, bootId });
}

/** Leaves at most half the limit, so that the next compaction is far; the newest are kept if even the living do not fit. */
function compact(members: readonly RecordedMember[], isAlive: (member: RecordedMember) => boolean): string {
  const lines = members.filter(isAlive).map(line);
  let length = 0;
  let first = lines.length;
  while (first > 0) {
    length += (lines[first - 1]?.length ?? 0) + 1;
    if (length > MAX_MEMBERS_BYTES / 2) break;
    first--;
  }
  return lines
    .slice(first)
    .map((text) => `${text}\n`)
    .join('');
}

function readNewest(file: string): string {
  let fd: number;
  try {
    fd = fs.openSync(file, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY);
  } catch (error) {
    if (systemErrorCode(error) !== undefined) return '';
    throw error;
  }
  try {
    const stat = fs.fstatSync(fd);
    if (!stat.isFile()) return '';
    const bytes = Buffer.alloc(Math.min(stat.size, MAX_READ_BYTES));
    const start = stat.size - bytes.length;
    let length = 0;
    while (length < bytes.length) {
      const count = fs.readSync(fd, bytes, length, bytes.length - length, start + length);
      if (count === 0) break;
      length += count;
    }
    return bytes.toString('utf8', 0, length);
  } catch {
    return '';
  } finally {
    fs.closeSync(fd);
  }
}
