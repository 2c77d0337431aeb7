import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { profileForCommand } from '../agents/command.ts';
import { injectLabels, keepBytes, type Labels } from './inject-labels.ts';

export interface LabelsRequest {
  /** The agent's words as Node decoded them, and to the byte. */
  readonly operands: readonly string[];
  readonly argv: readonly Buffer[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stateDirectory: string;
  readonly blockId: string;
}

/** The directory of a block's records of tool calls. */
export function callsDirectoryOf(stateDirectory: string, blockId: string): string {
  return path.join(stateDirectory, 'calls', blockId);
}

/** What would be added to the agent's command. Creates nothing. */
export function planLabels({ operands, env, cwd, stateDirectory, blockId }: LabelsRequest): Labels {
  return injectLabels({
    profileId: profileForCommand(operands)?.id,
    argv: operands,
    env,
    callsDirectory: callsDirectoryOf(stateDirectory, blockId),
    bashwrapPath: findBashwrap(),
    readFile: (name) => readSettings(path.resolve(cwd, name)),
  });
}

/** The agent's command with what labels need, to the byte. */
export interface LabelledCommand {
  readonly argv: readonly Buffer[];
  readonly env: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

/** Makes what the labels need. Without a place for it the command stays as it was: labels are never worth a failure. */
export function applyLabels(request: LabelsRequest): LabelledCommand {
  const { operands, argv } = request;
  try {
    const { env, notes, settingsFile, ...planned } = planLabels(request);
    makeDirectory(env['AGENTMUX_CALLS'] ?? '');
    if (settingsFile !== undefined) fs.writeFileSync(settingsFile.path, settingsFile.text, { mode: 0o600 });
    return { argv: keepBytes(planned.argv, operands, argv), env, notes };
  } catch (error) {
    return { argv, env: {}, notes: [`no labels: ${error instanceof Error ? error.message : error}`] };
  }
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
