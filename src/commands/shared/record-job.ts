import type { Context } from '../../context.ts';
import type { JobRecord } from '../../model/block.ts';

/** Records what was set on a block's job: its limits are set as a whole, so that the next who sets one must know of ours. */
export async function recordJob(
  { store }: Pick<Context, 'store'>,
  id: string,
  job: JobRecord | undefined,
): Promise<void> {
  if (job === undefined) return;
  const lock = await store.lock(id, LOCK_MS);
  try {
    const now = store.read(id);
    if (now?.tracker.job?.name === job.name) store.write({ ...now, tracker: { ...now.tracker, job } });
  } finally {
    lock.release();
  }
}

const LOCK_MS = 3000;
