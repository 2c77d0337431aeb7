import type { AgentMark, OutputLink, SessionBinding } from '../model/evidence.ts';
import { InvalidField, integerAt, type JsonObject, listAt, objectAt, oneOfAt, optionalAt, textAt } from './guards.ts';
import { appendLines, readLines } from './lines-file.ts';
import { memberKey, parseMemberObject } from './members-file.ts';
import type { RecordedMember, RememberedBinding, RememberedMarks, RememberedProcess } from './store.ts';

/** Appends one line of JSON a process and a binding; compacted as the file of members is. Errors are the system's. */
export function appendMarks(
  file: string,
  { processes, bindings }: RememberedMarks,
  isAlive: (member: RecordedMember) => boolean,
): void {
  appendLines(file, [...processes.map(processLine), ...bindings.map(bindingLine)], () => {
    const all = readMarks(file);
    return [...all.processes.filter(isAlive).map(processLine), ...all.bindings.map(bindingLine)];
  });
}

/** What was remembered, each process and session once, the newest line wins. Torn lines are skipped. Never throws. */
export function readMarks(file: string): RememberedMarks {
  const processes = new Map<string, RememberedProcess>();
  const bindings = new Map<string, RememberedBinding>();
  for (const text of readLines(file)) {
    const line = parseMarksLine(text);
    if (line === undefined) continue;
    if ('marks' in line) processes.set(memberKey(line), line);
    else bindings.set(`${line.bootId} ${line.agent} ${line.session}`, line);
  }
  return { processes: [...processes.values()], bindings: [...bindings.values()] };
}

/** Parses one line; undefined if it is torn or holds what no mark can. */
export function parseMarksLine(text: string): RememberedProcess | RememberedBinding | undefined {
  try {
    const json = objectAt(JSON.parse(text), 'line');
    return 'marks' in json ? processAt(json) : bindingAt(json);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof InvalidField) return undefined;
    throw error;
  }
}

const MAX_TEXT = 256;
const MAX_PID = 0xffff_ffff;

function processAt(json: JsonObject): RememberedProcess {
  return {
    ...parseMemberObject(json),
    marks: listAt(json['marks'], 'marks', 16, markAt),
    output: optionalAt(json['output'], 'output', outputAt),
  };
}

function markAt(value: unknown, path: string): AgentMark {
  const json = objectAt(value, path);
  return {
    agent: textAt(json['agent'], `${path}.agent`, MAX_TEXT),
    kind: oneOfAt(json['kind'], `${path}.kind`, ['tool', 'plumbing'] as const),
    name: textAt(json['name'], `${path}.name`, MAX_TEXT),
    session: optionalAt(json['session'], `${path}.session`, shortTextAt),
    pid: optionalAt(json['pid'], `${path}.pid`, (pid, at) => integerAt(pid, at, 1, MAX_PID)),
    callId: optionalAt(json['callId'], `${path}.callId`, shortTextAt),
  };
}

function outputAt(value: unknown, path: string): OutputLink {
  const json = objectAt(value, path);
  return {
    agent: textAt(json['agent'], `${path}.agent`, MAX_TEXT),
    session: textAt(json['session'], `${path}.session`, MAX_TEXT),
    taskId: textAt(json['taskId'], `${path}.taskId`, MAX_TEXT),
  };
}

function bindingAt(json: JsonObject): RememberedBinding {
  return {
    agent: textAt(json['agent'], 'agent', MAX_TEXT),
    session: textAt(json['session'], 'session', MAX_TEXT),
    rootPid: integerAt(json['rootPid'], 'rootPid', 1, MAX_PID),
    rootStartTicks: optionalAt(json['rootStartTicks'], 'rootStartTicks', (ticks, at) =>
      integerAt(ticks, at, 0, 2 ** 63),
    ),
    bootId: textAt(json['bootId'], 'bootId', MAX_TEXT),
  };
}

function shortTextAt(value: unknown, path: string): string {
  return textAt(value, path, MAX_TEXT);
}

function processLine({ pid, startTicks, bootId, marks, output }: RememberedProcess): string {
  return JSON.stringify({ pid, startTicks, bootId, marks, output });
}

function bindingLine({ agent, session, rootPid, rootStartTicks, bootId }: SessionBinding & { bootId: string }): string {
  return JSON.stringify({ agent, session, rootPid, rootStartTicks, bootId });
}
