import type { BlockSummary } from '../../render/block-table.ts';
import type { BlockView } from '../../trackers/inspect.ts';

/** What every listing says of a block. Counts are unknown where nothing is tracked and where we cannot look. */
export function summarize(view: BlockView): BlockSummary {
  const { record } = view;
  const isSeen = view.status !== 'elsewhere' && record.tracker.type !== 'stub';
  return {
    id: record.id,
    agent: record.agent,
    parentId: record.parentId,
    status: view.status,
    tracker: { ...record.tracker, job: record.tracker.job },
    startedAtMs: startOf(view),
    agentStarted: isSeen ? view.members.filter((member) => member.role === 'started').length : undefined,
    processes: isSeen ? view.members.length : undefined,
    zombies: [...view.zombies].map(([parentPid, count]) => ({ parentPid, count })),
  };
}

/** Start of the last run, ms since the epoch; of the block before there was one. */
function startOf({ record }: BlockView): number {
  return record.runs.at(-1)?.startedAtMs ?? record.createdAtMs;
}
