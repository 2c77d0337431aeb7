import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { profileForCommand } from '../agents/command.ts';
import { sweepCalls } from '../calls/sweep-calls.ts';
import type { Platform } from '../platform/platform.ts';
import type { ProgramStarter } from '../platform/starter.ts';
import { callsDirectoryOf } from '../state/calls-directory.ts';
import { injectLabels, keepBytes, type Labels } from './inject-labels.ts';
import type { RunOptions } from './options.ts';
import type { RunBlock } from './run-block.ts';
import type { LaunchWorld } from './world.ts';

/** What is asked of a run about labels. */
export interface RunLabelsRequest {
  readonly starter: Pick<ProgramStarter, 'labelsObstacle'>;
  readonly options: Pick<RunOptions, 'labels' | 'terminal'>;
  /** The agent's words as Node decoded them. */
  readonly operands: readonly string[];
  readonly world: Pick<LaunchWorld, 'env' | 'cwd'>;
  readonly blockId: string;
  /** The state directory; empty where none can be had. */
  readonly directory: string;
}

/** What would be added to the agent's command. Creates nothing. */
export function planRunLabels(request: RunLabelsRequest): Labels {
  const { options, operands, world, starter, blockId, directory } = request;
  const nothing: Labels = { argv: operands, env: {}, notes: [], settingsFile: undefined };
  if (!options.labels || options.terminal || directory === '') return nothing;
  return injectLabels({
    profileId: profileForCommand(operands)?.id,
    argv: operands,
    env: world.env,
    callsDirectory: callsDirectoryOf(directory, blockId),
    bashwrapPath: findBashwrap(),
    obstacle: starter.labelsObstacle,
    readFile: (name) => readSettings(path.resolve(world.cwd, name)),
  });
}

/** The agent's command with what labels need, to the byte. */
export interface LabelledCommand {
  readonly argv: readonly Buffer[];
  readonly env: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

export interface LabelRunRequest extends Pick<RunLabelsRequest, 'options' | 'operands' | 'world' | 'starter'> {
  readonly handover: { readonly argv: readonly Buffer[] };
  readonly block: RunBlock;
}

/** Makes what the labels need. Without a place for it the command stays as it was: labels are never worth a failure. */
export function labelRun({ handover, block, ...request }: LabelRunRequest): LabelledCommand {
  const { argv } = handover;
  try {
    const { directory } = block.store;
    const planned = planRunLabels({ ...request, directory, blockId: block.record.id });
    const { env, notes, settingsFile } = planned;
    const calls = env['AGENTMUX_CALLS'];
    if (calls !== undefined) makeDirectory(calls);
    if (settingsFile !== undefined) fs.writeFileSync(settingsFile.path, settingsFile.text, { mode: 0o600 });
    return { argv: keepBytes(planned.argv, request.operands, argv), env, notes };
  } catch (error) {
    return { argv, env: {}, notes: [`no labels: ${error instanceof Error ? error.message : error}`] };
  }
}

/** Removes the records of calls of which nothing lives. Never throws. */
export function sweepLabels({ store, record }: RunBlock, platform: Platform): void {
  if (store.directory === '') return;
  sweepCalls(callsDirectoryOf(store.directory, record.id), process.geteuid?.(), platform);
}

/** The script of this installation, beside dist or two levels above the source; undefined if it cannot be run. */
export function findBashwrap(): string | undefined {
  const self = import.meta.url;
  const directory = path.dirname(self.startsWith('file:') ? fileURLToPath(self) : self);
  return ['..', '../..'].map((up) => path.resolve(directory, up, 'bin/agentmux-bashwrap')).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    fs.accessSync(file, fs.constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A pipe (`<(…)`) can be read once, and that is the agent's to do. */
function readSettings(file: string): string | undefined {
  try {
    return fs.statSync(file).isFile() ? fs.readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** Modes are set again, since a umask may have cut them. */
function makeDirectory(directory: string): void {
  for (const level of [path.dirname(directory), directory]) {
    fs.mkdirSync(level, { recursive: true, mode: 0o700 });
    fs.chmodSync(level, 0o700);
  }
}
