import type { EvidenceKind } from '../model/evidence.ts';
import type { CountedMarks } from './count-marks.ts';

/** What evidence says of a member. */
export interface Finding {
  readonly role: 'plumbing' | 'started';
  readonly because: string;
  readonly kind: EvidenceKind;
  /** True for an agent process: its children go by their own evidence, not by what it is. */
  readonly anchor?: boolean;
}

/** A finding, or that the rule decides. */
export type Verdict = Finding | 'rule';

/** A session of the agent that its daemon hosts. */
export const HOSTED = {
  role: 'plumbing',
  because: 'session of the agent in the background',
  kind: 'daemon',
  anchor: true,
} as const satisfies Finding;

export const IN_SESSION = {
  role: 'plumbing',
  because: 'in the session of the agent',
  kind: 'session',
} as const satisfies Finding;

export const OWN_SESSION = {
  role: 'started',
  because: 'session of its own',
  kind: 'session',
} as const satisfies Finding;

export const COPY = {
  role: 'plumbing',
  because: 'forked by the agent a moment ago',
  kind: 'descent',
} as const satisfies Finding;

/** A daemon of the agent; `title` is what kind of daemon. */
export function describeDaemon(title: string): Finding {
  return { role: 'plumbing', because: `daemon of the agent: ${title}`, kind: 'daemon', anchor: true };
}

/** What the marks that count say; undefined if there are none. */
export function verdictOfMarks(marks: CountedMarks | undefined): Finding | undefined {
  if (marks?.mark !== undefined) {
    return marks.mark.kind === 'tool'
      ? { role: 'started', because: 'marked as a tool call', kind: 'mark' }
      : { role: 'plumbing', because: "marked as the agent's own", kind: 'mark' };
  }
  return marks?.output === undefined
    ? undefined
    : { role: 'started', because: 'writes to the output of a tool call', kind: 'output' };
}
