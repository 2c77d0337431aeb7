import type { Context } from '../../context.ts';
import { createKeptFinder, type KeptReason } from '../../kill/kept.ts';
import type { BlockRecord } from '../../model/block.ts';
import type { MemberView } from '../../trackers/inspect.ts';
import { loadConfig } from './config.ts';

/** Finds what is kept among the members of a block, by the marks of the user and the configuration. */
export function openKept(
  context: Context,
  records: readonly BlockRecord[],
): (record: BlockRecord, members: readonly MemberView[]) => ReadonlyMap<number, KeptReason> {
  const { store, platform } = context;
  const { keep } = loadConfig(context);
  return createKeptFinder(store, platform.host().bootId, keep, records);
}
