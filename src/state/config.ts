import fs from 'node:fs';
import path from 'node:path';
import { type LeftoversPolicy, leftoversPolicies, type TrackerType, trackerTypes } from '../model/block.ts';
import type { Platform } from '../platform/platform.ts';
import { booleanAt, InvalidField, listAt, matchAt, objectAt, oneOfAt, optionalAt } from './guards.ts';
import { isFullPath } from './paths.ts';
import { systemErrorCode, systemErrorWords } from './system-error.ts';

/** What the user wants where neither a flag nor the environment says otherwise; undefined: as if there were no file. */
export interface Config {
  /** Patterns of programs or command lines that are never ended with their block. */
  readonly keep: readonly string[];
  readonly leftovers: LeftoversPolicy | undefined;
  /** A duration as `--grace` takes it. */
  readonly grace: string | undefined;
  readonly tracker: 'auto' | TrackerType | undefined;
  readonly labels: boolean | undefined;
}

export type ConfigResult =
  | { readonly status: 'ok'; readonly config: Config; readonly path: string | undefined }
  /** `detail` is a sentence without the path, with no full stop. */
  | { readonly status: 'bad'; readonly path: string; readonly detail: string };

/** No file, or an empty one. */
export const emptyConfig: Config = {
  keep: [],
  leftovers: undefined,
  grace: undefined,
  tracker: undefined,
  labels: undefined,
};

/** The keys of the file, in the order of the documentation. */
export const configKeys = ['keep', 'leftovers', 'grace', 'tracker', 'labels'] as const;

/** What the place of the configuration depends on. */
export interface ConfigPlace {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly os?: Platform['os'];
}

/**
 * The path of the configuration: AGENTMUX_CONFIG, else `agentmux/config.json` in $XDG_CONFIG_HOME or `~/.config`, on Windows
 * in %APPDATA%. Values of XDG variables that are no absolute paths are ignored, as the XDG base directory specification
 * demands. Undefined where nothing names a place; AGENTMUX_CONFIG set empty means that there is none.
 */
export function findConfigPath({ env, os = 'linux' }: ConfigPlace): string | undefined {
  const own = env['AGENTMUX_CONFIG'];
  if (own !== undefined) return own === '' ? undefined : path.resolve(own);
  const base = os === 'win32' ? findWindowsBase(env) : findXdgBase(env);
  if (base === undefined) return undefined;
  return (os === 'win32' ? path.win32 : path).join(base, 'agentmux', 'config.json');
}

/** Reads the configuration. A missing file is an empty one, unless AGENTMUX_CONFIG names it. Never throws for the file's sake. */
export function readConfig(place: ConfigPlace): ConfigResult {
  const file = findConfigPath(place);
  if (file === undefined) return { status: 'ok', config: emptyConfig, path: undefined };
  try {
    const text = readText(file);
    return text === undefined ? { status: 'bad', path: file, detail: NO_FILE } : parseConfig(text, file);
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === undefined) throw error;
    // One that may not be looked at is another user's: the home was inherited through a change of user.
    const isMissing = (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EACCES') && !place.env['AGENTMUX_CONFIG'];
    if (isMissing) return { status: 'ok', config: emptyConfig, path: undefined };
    return { status: 'bad', path: file, detail: `it cannot be read: ${systemErrorWords(error)}` };
  }
}

/** Parses the text of a configuration: an object of JSON with keys of ours alone. */
export function parseConfig(text: string, file: string): ConfigResult {
  try {
    return { status: 'ok', config: configAt(text.trim() === '' ? {} : JSON.parse(text)), path: file };
  } catch (error) {
    if (error instanceof InvalidField) return { status: 'bad', path: file, detail: error.message };
    if (error instanceof SyntaxError) return { status: 'bad', path: file, detail: `it is no JSON: ${error.message}` };
    throw error;
  }
}

const MAX_BYTES = 1_048_576;
const NO_FILE = 'it is no regular file, or larger than 1 MiB';
const DURATION = /^(\d+(?:\.\d*)?|\.\d+)(ms|s|m|h)?$/;

/** A symbolic link is followed, since people keep such files elsewhere. Undefined for what is no file of sane size. */
function readText(file: string): string | undefined {
  const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
  try {
    const stat = fs.fstatSync(fd);
    return stat.isFile() && stat.size <= MAX_BYTES ? fs.readFileSync(fd, 'utf8') : undefined;
  } finally {
    fs.closeSync(fd);
  }
}

function configAt(value: unknown): Config {
  const json = objectAt(value, 'the file');
  const unknown = Object.keys(json).find((key) => !(configKeys as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw new InvalidField(`"${unknown.slice(0, 40)}"`, `one of the keys ${configKeys.join(', ')}`);
  return {
    keep: optionalAt(json['keep'], '"keep"', (list, at) => listAt(list, at, 200, patternAt)) ?? [],
    leftovers: optionalAt(json['leftovers'], '"leftovers"', (word, at) => oneOfAt(word, at, leftoversPolicies)),
    grace: optionalAt(json['grace'], '"grace"', durationAt),
    tracker: optionalAt(json['tracker'], '"tracker"', (word, at) =>
      oneOfAt(word, at, ['auto', ...trackerTypes] as const),
    ),
    labels: optionalAt(json['labels'], '"labels"', booleanAt),
  };
}

function patternAt(value: unknown, at: string): string {
  return matchAt(value, at, /^(?=.*[^\s*?])[^\0\n]{1,256}$/, 'a name or a command line with something besides * and ?');
}

/** A number is seconds, as in the flag. */
function durationAt(value: unknown, at: string): string {
  return matchAt(
    typeof value === 'number' ? String(value) : value,
    at,
    DURATION,
    'a duration like 10, "1.5s" or "500ms"',
  );
}

function findXdgBase(env: ConfigPlace['env']): string | undefined {
  const home = absolute(env['HOME'], 'linux');
  return absolute(env['XDG_CONFIG_HOME'], 'linux') ?? (home === undefined ? undefined : path.join(home, '.config'));
}

function findWindowsBase(env: ConfigPlace['env']): string | undefined {
  const profile = absolute(env['USERPROFILE'], 'win32');
  const roaming = profile === undefined ? undefined : path.win32.join(profile, 'AppData', 'Roaming');
  return absolute(env['APPDATA'], 'win32') ?? roaming;
}

function absolute(value: string | undefined, os: Platform['os']): string | undefined {
  return value !== undefined && isFullPath(value, os) ? value : undefined;
}
