import { InvalidField, integerAt, type JsonObject, objectAt, textAt } from './guards.ts';
import { appendLines, MAX_LINES_BYTES, readLines } from './lines-file.ts';
import type { RecordedMember } from './store.ts';

/** Above this a file is written anew without the ended and the repeated. */
export const MAX_MEMBERS_BYTES = MAX_LINES_BYTES;

/** Appends one line of JSON a member, and compacts the file when it has grown large. Errors are the system's. */
export function appendMembers(
  file: string,
  members: readonly RecordedMember[],
  isAlive: (member: RecordedMember) => boolean,
): void {
  appendLines(file, members.map(line), () => readMembers(file).filter(isAlive).map(line));
}

/** The members of a file, oldest first, none twice. Torn lines are skipped; an unreadable file has none. Never throws. */
export function readMembers(file: string): RecordedMember[] {
  const members = new Map<string, RecordedMember>();
  for (const text of readLines(file)) {
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
  try {
    return parseMemberObject(objectAt(JSON.parse(text), 'member'));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidField) return undefined;
    throw error;
  }
}

/** The identity in a line's object. Throws InvalidField. */
export function parseMemberObject(json: JsonObject): RecordedMember {
  return {
    pid: integerAt(json['pid'], 'pid', 2, 0xffff_ffff),
    startTicks: integerAt(json['startTicks'], 'startTicks', 0, 2 ** 63),
    bootId: textAt(json['bootId'], 'bootId', 256),
  };
}

function line({ pid, startTicks, bootId }: RecordedMember): string {
  return JSON.stringify({ pid, startTicks, bootId });
}
