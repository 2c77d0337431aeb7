import type { AgentMark, OutputLink } from '../model/evidence.ts';
import type { AgentMarks, AgentProfile } from './profile.ts';

/** The variables that tell something of these agents' processes. */
export function markVariables(agents: readonly AgentProfile[]): Set<string> {
  return new Set(
    agents.flatMap(({ marks }) =>
      marks === undefined
        ? []
        : [
            marks.pid,
            marks.pidInheritedIn,
            marks.call,
            ...marks.session,
            ...marks.kinds.map(({ name }) => name),
          ].filter((name) => name !== undefined),
    ),
  );
}

/** The marks of these agents in the environment of a process, at most one of each. */
export function parseMarks(variables: ReadonlyMap<string, string>, agents: readonly AgentProfile[]): AgentMark[] {
  return agents.flatMap(({ id, marks }) => {
    const found = marks?.kinds.find(({ name, value }) => value.test(variables.get(name) ?? ''));
    if (marks === undefined || found === undefined) return [];
    const session = marks.session.map((name) => plainText(variables.get(name))).find((text) => text !== undefined);
    return [
      {
        agent: id,
        kind: found.kind,
        name: found.name,
        session,
        pid: parsePid(variables, marks, session),
        callId: marks.call === undefined ? undefined : plainText(variables.get(marks.call)),
      },
    ];
  });
}

/** What the file that a process writes to tells: the first of the targets of its output that is a tool call's. */
export function parseOutputLink(
  targets: readonly (string | undefined)[],
  agents: readonly AgentProfile[],
): OutputLink | undefined {
  for (const target of targets) {
    for (const { id, output } of agents) {
      const groups = output?.exec(target ?? '')?.groups;
      const [session, taskId] = [groups?.['session'], groups?.['task']];
      if (session !== undefined && taskId !== undefined) return { agent: id, session, taskId };
    }
  }
  return undefined;
}

/** Longer than any id that an agent gives; a mark is remembered in a file and must not fill it. */
const MAX_LENGTH = 200;

function plainText(value: string | undefined): string | undefined {
  return value === undefined || value === '' || value.length > MAX_LENGTH ? undefined : value;
}

function parsePid(
  variables: ReadonlyMap<string, string>,
  { pid, pidInheritedIn }: AgentMarks,
  session: string | undefined,
): number | undefined {
  const text = pid === undefined ? undefined : variables.get(pid);
  if (text === undefined || !/^[1-9]\d{0,9}$/.test(text)) return undefined;
  const sessions = pidInheritedIn === undefined ? undefined : variables.get(pidInheritedIn);
  const isInherited = session !== undefined && sessions?.includes(session) === true;
  return isInherited ? undefined : Number(text);
}
