import { createMarksReader } from '../../calls/read-marks.ts';
import type { Context } from '../../context.ts';
import type { KillWorld } from '../../kill/transaction.ts';
import type { BlockRecord } from '../../model/block.ts';
import { readGroupPath } from '../../platform/linux/cgroup-mount.ts';
import { readOwnSessions } from '../../platform/sessions.ts';
import { type BlockView, type InspectDeps, inspectBlock } from '../../trackers/inspect.ts';
import { isInJobOf } from '../../trackers/job-place.ts';
import { type KnownTags, type Look, takeLook } from '../../trackers/look.ts';
import { openTracker } from '../../trackers/select.ts';
import { openKept } from './kept.ts';
import type { BlockLookup, Caller } from './target.ts';

/** Reads the records and who asks; `command` is what was typed, for hints. Looks at no block before it is asked for. */
export function openLookup(
  context: Context,
  command: string,
): {
  readonly lookup: BlockLookup;
  readonly caller: Caller;
  /** What looking at the blocks tells of environments: spares later looks at the same blocks to read them again. */
  readonly known: KnownTags;
} {
  const { platform, env } = context;
  const { blocks, unreadable } = context.store.list();
  const views = new Map<string, BlockView>();
  const known: KnownTags = new Map();
  let look: Look | undefined;
  const view = (record: BlockRecord): BlockView => {
    look ??= takeLook(platform, blocks, known);
    const seen = views.get(record.id) ?? inspectBlock(record, { ...inspectDepsOf(context, blocks), look });
    views.set(record.id, seen);
    return seen;
  };
  return {
    lookup: { records: blocks, unreadable, host: platform.host(), view },
    caller: {
      blockId: env['AGENTMUX_BLOCKID'] || undefined,
      tag: env['AGENTMUX_TAG'] || undefined,
      groupPath: readGroupPath('self'),
      ...(platform.os === 'win32' && { isInJob: (record: BlockRecord) => isInJobOf(record, platform) }),
      sessions: readOwnSessions(platform, context.pid),
      command,
    },
    known,
  };
}

/**
 * What a kill in a block needs, looking afresh each time. Never signals this process, and spares what is kept unless
 * `includingKept`. `known` is what looks of a moment ago at the same blocks told of environments.
 * Throws AgentmuxError where what is kept cannot be known.
 */
export function openKillWorld(
  context: Context,
  record: BlockRecord,
  records: readonly BlockRecord[],
  includingKept = false,
  known: KnownTags = new Map(),
): KillWorld {
  const findKept = includingKept ? undefined : openKept(context, records);
  const deps = inspectDepsOf(context, records);
  const tracker = openTracker(record, deps);
  let look: Look | undefined;
  return {
    platform: context.platform,
    tracker,
    look: () => {
      look = takeLook(context.platform, [record, ...records], known);
      return inspectBlock(record, { ...deps, look }).members;
    },
    table: () => look,
    spare: new Set([context.pid]),
    ...(findKept !== undefined && { findKept: (members) => findKept(record, members) }),
    // By scan a freeze would be a STOP, and the CONT after it would wake what its user had stopped.
    mayFreeze: tracker.type === 'cgroup',
  };
}

/** What looking at blocks needs of the world. */
export function inspectDepsOf(context: Context, records: readonly BlockRecord[]): InspectDeps {
  const { platform, store } = context;
  const marks = createMarksReader(platform, store);
  return { platform, records, recorded: (id) => store.recorded(id), marks };
}
