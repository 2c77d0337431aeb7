import type { BlockRecord, TrackerRecord } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import type { Program } from '../platform/starter.ts';
import { formatConfidence, formatCount } from '../render/format.ts';
import { renderJson } from '../render/json.ts';
import { escapeUntrusted } from '../render/untrusted.ts';
import type { Tracker } from '../trackers/tracker.ts';
import type { EncloseRequest } from './enclose.ts';
import type { Labels } from './inject-labels.ts';
import type { BlockName } from './open-block.ts';
import type { TrackerChoice } from './options.ts';
import type { Reporter } from './reporter.ts';
import type { RunBlock } from './run-block.ts';

export interface RunDescription extends EncloseRequest {
  readonly name: BlockName;
  readonly program: Program;
  readonly tracker: TrackerRecord | undefined;
  readonly labels: Pick<Labels, 'env' | 'notes'>;
}

/** What `--dry-run` prints: what would be done, as it looks before anything was tried. */
export function describeRun(description: RunDescription): string {
  const { draft, run, options, world, name, program, tracker, labels } = description;
  const facts = {
    block: name.id,
    isNewBlock: draft.before === undefined,
    parent: name.parentId ?? null,
    executable: program.file.toString(),
    argv: run.argv,
    tracker: tracker?.type ?? null,
    confidence: tracker?.confidence ?? null,
    reasons: tracker?.reasons ?? [],
    group: tracker?.cgroupPath ?? null,
    scope: tracker?.scope ?? null,
    job: tracker?.job?.name ?? null,
    leftovers: options.leftovers,
    priority: options.priority ?? null,
    labels: labels.notes,
    found: program.notes,
    endsByForce: world.platform.endsByForce === true,
    environment: ['AGENTMUX_BLOCKID', 'AGENTMUX_TAG', ...Object.keys(labels.env)],
  };
  if (options.json) return renderJson(facts);
  const parent = facts.parent === null ? '' : ` in ${facts.parent}`;
  return [
    `block        ${facts.block} (${facts.isNewBlock ? 'new' : 'once more'}${parent})`,
    `executable   ${facts.executable}`,
    ...program.notes.map((note) => `             ${note}`),
    `tracker      ${facts.tracker}${facts.confidence === null ? '' : ` (${formatConfidence(facts.confidence)})`}`,
    ...facts.reasons.map((reason) => `             ${reason.code}: ${reason.detail}`),
    ...(facts.group === null ? [] : [`group        ${facts.group}`]),
    ...(facts.scope === null ? [] : [`scope        ${facts.scope}`]),
    ...(facts.job === null ? [] : [`job          ${facts.job}`]),
    ...(facts.priority === null ? [] : [`priority     ${facts.priority}`]),
    `leftovers    ${facts.leftovers}`,
    ...(facts.endsByForce ? ['ending       at once: no signal of this system asks a process to end'] : []),
    ...facts.labels.map((note) => `labels       ${note}`),
    `environment  ${facts.environment.join(' ')} are added`,
  ]
    .map((line) => `${escapeUntrusted(line)}\n`)
    .join('');
}

/** With `--verbose`: how the block is tracked, and why not better. In any case that it is not as it was asked for. */
export function tellTracker(block: RunBlock, asked: TrackerChoice, reporter: Reporter): void {
  const { id, tracker }: BlockRecord = block.record;
  if (asked !== 'auto' && asked !== tracker.type) {
    const why = tracker.reasons.map(({ code, detail }) => `${code}: ${detail}`).join('; ');
    reporter.note(`tracked by ${tracker.type}, not by ${asked}${why === '' ? '' : ` (${why})`}: agentmux doctor`);
  }
  reporter.detail(`block ${id}, tracker ${tracker.type} (${formatConfidence(tracker.confidence)})`);
  for (const { code, detail } of tracker.reasons) reporter.detail(`${code}: ${detail}`);
  if (tracker.cgroupPath !== undefined) reporter.detail(`group ${tracker.cgroupPath}`);
  if (tracker.scope !== undefined) reporter.detail(`scope ${tracker.scope}`);
  if (tracker.job !== undefined) reporter.detail(`job ${tracker.job.name}`);
  if (!tracker.subreaper && tracker.type !== 'job') reporter.detail('orphans are not adopted: no child subreaper');
}

/** What of earlier blocks from here still runs. Comes after the agent's start and never delays or ends it. */
export async function tellEarlier(block: RunBlock, platform: Platform, reporter: Reporter): Promise<void> {
  try {
    const { findEarlierBlocks } = await import('./earlier-blocks.ts');
    for (const line of await findEarlierBlocks(block.record, block.store, platform)) reporter.note(line);
  } catch {
    // Only a courtesy.
  }
}

/** The kernel ends a process for lack of memory without a word to anybody. */
export function tellOutOfMemory(block: RunBlock, tracker: Tracker, reporter: Reporter): void {
  const kills = tracker.oomKills();
  if (kills === undefined || kills === 0) return;
  reporter.note(
    `the kernel killed ${formatCount(kills, 'process', 'processes')} of ${block.record.id} for lack of memory`,
  );
}
