import type { KeptReason } from '../kill/kept.ts';
import type { KillReport } from '../kill/kill.ts';
import type { Platform } from '../platform/platform.ts';
import type { ProgramStarter } from '../platform/starter.ts';
import type { MemberView } from '../trackers/inspect.ts';
import type { Tracker } from '../trackers/tracker.ts';
import { renderProgress } from './leftovers-text.ts';
import type { Reporter } from './reporter.ts';
import type { RunBlock } from './run-block.ts';

export interface EndBlockOptions {
  readonly block: RunBlock;
  readonly platform: Platform;
  readonly starter: Pick<ProgramStarter, 'findStreamHolders'>;
  readonly reporter: Reporter;
  /** Undefined: the default of the kill transaction. */
  readonly graceMs: number | undefined;
  /** Patterns of what is never ended with its block. */
  readonly keep: readonly string[];
  readonly hurry: AbortSignal;
}

/** The live members of the block, those of its child blocks and of the second net included. */
export async function lookAtBlock(block: RunBlock, platform: Platform): Promise<readonly MemberView[]> {
  return (await makeLook(block, platform))();
}

/** Members that only a record finds again once we are gone: what left the enclosure, all of a scan, and of a job without a name. */
export function recordFound(
  members: readonly MemberView[],
  block: RunBlock,
  tracker: Tracker,
  platform: Platform,
): void {
  const { bootId } = platform.host();
  const found = members.flatMap((member) => {
    const isKept = !isTagOnly(member) && (member.escaped || tracker.type !== 'cgroup');
    return isKept && member.startTicks !== undefined
      ? [{ pid: member.pid, startTicks: member.startTicks, bootId }]
      : [];
  });
  if (found.length > 0) block.store.record(block.record.id, found, 'wrapper');
}

/** It carries the block's tag and nothing else ties it to the block: a desktop application may have inherited it. */
export function isTagOnly(member: MemberView): boolean {
  return member.escaped && member.source === 'tag';
}

/** Ends the block as `agentmux kill-tree` does, telling meanwhile who is waited for. */
export async function endBlock(options: EndBlockOptions): Promise<KillReport> {
  const { block, platform, reporter } = options;
  const [{ killBlock, DEFAULT_GRACE_MS }, { openTracker }, look, findKept] = await Promise.all([
    import('../kill/transaction.ts'),
    import('../trackers/select.ts'),
    makeLook(block, platform),
    openKept(options),
  ]);
  const tracker = openTracker(block.record, depsOf(block, platform));
  return killBlock(
    { platform, tracker, look, findKept, spare: new Set([process.pid]), mayFreeze: true },
    {
      graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
      hurry: options.hurry,
      onProgress: reporter.tellsProgress ? (progress) => reporter.say(renderProgress(progress)) : undefined,
    },
  );
}

/**
 * Finds what is kept among the members, by pid: by the marks of `agentmux keep` and the configuration. Marks that cannot be
 * read are told, and keep nothing.
 */
export async function openKept({
  block,
  platform,
  keep,
  reporter,
}: Pick<EndBlockOptions, 'block' | 'platform' | 'keep' | 'reporter'>): Promise<
  (members: readonly MemberView[]) => ReadonlyMap<number, KeptReason>
> {
  const { createKeptFinder } = await import('../kill/kept.ts');
  const { records } = depsOf(block, platform);
  const find = createKeptFinder(block.store, platform.host().bootId, keep, records);
  return (members) => {
    try {
      return find(block.record, members);
    } catch (error) {
      reporter.say(error instanceof Error ? error.message : String(error));
      return new Map();
    }
  };
}

async function makeLook(block: RunBlock, platform: Platform): Promise<() => readonly MemberView[]> {
  const [{ inspectBlock }, { createMarksReader }] = await Promise.all([
    import('../trackers/inspect.ts'),
    import('../calls/read-marks.ts'),
  ]);
  const marks = createMarksReader(platform, block.store);
  return () => inspectBlock(block.record, { ...depsOf(block, platform), marks }).members;
}

/** Read afresh at each look: a child block may have been made a moment ago. */
function depsOf({ store, record }: RunBlock, platform: Platform) {
  let { blocks } = { blocks: [record] as readonly (typeof record)[] };
  try {
    ({ blocks } = store.list());
  } catch {
    // A state directory that has become unusable: then only what we know ourselves.
  }
  const records = blocks.map((one) => (one.id === record.id ? record : one));
  return { platform, records, recorded: (id: string) => store.recorded(id) };
}
