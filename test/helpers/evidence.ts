import type { Evidence } from '../../src/model/evidence.ts';

/** Of a process of which no agent told anything. */
export const noEvidence: Evidence = {
  kind: 'rule',
  mark: undefined,
  session: undefined,
  taskId: undefined,
  callId: undefined,
};
