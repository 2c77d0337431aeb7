import type { ProcessRow } from '../model/row.ts';

/** Why a row is what it is, with what its agent told of it: `marked as a tool call (AI_AGENT), session 5ca4e252, task b1x`. */
export function describeEvidence({ because, evidence }: Pick<ProcessRow, 'because' | 'evidence'>): string {
  const { kind, mark, session, taskId, callId } = evidence;
  return [
    kind !== 'mark' || mark === undefined ? because : `${because} (${mark})`,
    ...(session === undefined ? [] : [`session ${session.slice(0, SHORT_SESSION)}`]),
    ...(taskId === undefined ? [] : [`task ${taskId}`]),
    ...(callId === undefined ? [] : [`call ${callId}`]),
  ].join(', ');
}

/** The first group of a UUID tells the sessions of one machine apart. */
const SHORT_SESSION = 8;
