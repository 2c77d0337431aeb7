import { AgentmuxError } from '../../errors.ts';
import type { BlockRecord } from '../../model/block.ts';

/** Throws AgentmuxError `refused` for a block whose members nobody knows: success must never be said of it. */
export function refuseUntracked(record: BlockRecord): void {
  if (record.tracker.type !== 'stub') return;
  throw new AgentmuxError('refused', `block "${record.id}" is not tracked: its processes are not known`, {
    code: 'not-tracked',
    hint: `agentmux blocks --verbose --block ${record.id}`,
  });
}
