import { win32 as path } from 'node:path';

/** What a shim starts, told as its text does. */
export interface Shim {
  /** Path of a program or of another shim, or a bare name to be looked for; where there are several the first that exists. */
  readonly programs: readonly string[];
  /** Words between the program and the arguments of the caller. */
  readonly before: readonly string[];
  /** Variables that it sets. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Reads a `.cmd` shim as npm, yarn and pnpm write them for the commands of a package (cmd-shim and its descendants): they
 * do nothing but start one program, mostly `node` with a script. Every line must be one that is known; undefined for
 * anything else, which is then a batch file like any other. `file` is the absolute path of the shim, `env` is asked for
 * variables that it passes on.
 */
export function parseCmdShim(file: string, text: string, env: (name: string) => string | undefined): Shim | undefined {
  const directory = path.dirname(file);
  const calls: Call[] = [];
  const variables: Record<string, string> = {};
  let program: string[] = [];
  for (const raw of text.split(/\r?\n/)) {
    const line = raw.trim().replace(/^@\s*/, '');
    if (isScenery(line)) continue;
    const prog = /^SET "?_prog=([^"]*)"?$/i.exec(line)?.[1];
    const set = /^SET "?([A-Za-z_][A-Za-z0-9_]*)=([^"]*)"?$/i.exec(line);
    if (prog !== undefined) program.push(prog);
    else if (set?.[1] !== undefined && set[2] !== undefined && !isOwnVariable(set[1])) {
      const value = expandOwn(set[2], set[1], env(set[1]), variables[set[1]]);
      if (value === undefined) return undefined;
      variables[set[1]] = value;
    } else {
      const call = parseCall(line);
      if (call === undefined) return undefined;
      calls.push(call);
    }
  }
  const [first] = calls;
  if (first === undefined || calls.some((call) => !sameWords(call, first))) return undefined;
  if (first.program !== '%_prog%') program = calls.map((call) => call.program);
  if (program.length === 0) return undefined;
  const place = (word: string): string => word.replace(/(?:%~dp0|%dp0%)\\?/gi, () => `${directory}\\`);
  const words = [...program, ...first.before].map(place);
  // A variable of the caller's is for cmd.exe to expand.
  if (words.some((word) => word.includes('%'))) return undefined;
  const isPath = (word: string): boolean => /^[A-Za-z]:\\|^\\\\/.test(word);
  const clean = (word: string): string => (isPath(word) ? path.normalize(word) : word);
  return {
    programs: words.slice(0, program.length).map(clean),
    before: words.slice(program.length).map(clean),
    env: variables,
  };
}

interface Call {
  readonly program: string;
  readonly before: readonly string[];
}

/** Lines that start nothing, and the frame of those that do. */
function isScenery(line: string): boolean {
  return (
    line === '' ||
    /^(ECHO off|SETLOCAL|ENDLOCAL|CALL :find_dp0|GOTO start|:find_dp0|:start|SET dp0=%~dp0|EXIT \/b( %errorlevel%)?|\)|\) ELSE \()$/i.test(
      line,
    ) ||
    /^(::|REM\b)/i.test(line) ||
    /^IF EXIST "(%~dp0|%dp0%)\\[\w.-]+" \($/i.test(line) ||
    /^IF NOT DEFINED \w+ \($/i.test(line) ||
    /^SET PATHEXT=%PATHEXT:;\.JS;=;%$/i.test(line)
  );
}

/** Of cmd.exe or of the shim itself. */
function isOwnVariable(name: string): boolean {
  return /^(PATH|PATHEXT|COMSPEC|_prog|dp0)$/i.test(name);
}

/**
 * `NODE_PATH=C:\\a;%NODE_PATH%`: no other variable may be in the value. Gives `before` where it is the branch for a variable
 * that is set, and this one is not.
 */
function expandOwn(value: string, name: string, own: string | undefined, before: string | undefined) {
  const itself = new RegExp(`%${name}%`, 'gi');
  const rest = value.replace(itself, '');
  if (rest.includes('%')) return undefined;
  if (rest === value) return value;
  return own === undefined ? before : value.replace(itself, () => own);
}

/** `"PROGRAM"  "WORD" word %*`, perhaps behind what a shim puts in front so that Ctrl-C asks no question. */
function parseCall(line: string): Call | undefined {
  const bare = line.replace(/^endLocal & goto #_undefined_# 2>NUL \|\| title %COMSPEC% & /i, '');
  if (!/\s%\*$/.test(bare)) return undefined;
  const words = bare.replace(/\s+%\*$/, '').match(/"[^"]*"|[^\s"&|<>()^!]+/g);
  if (words === null || words.join('').length !== bare.replace(/\s+%\*$/, '').replace(/("[^"]*")|\s+/g, '$1').length) {
    return undefined;
  }
  const [program, ...before] = words.map((word) => word.replace(/^"|"$/g, ''));
  return program === undefined ? undefined : { program, before };
}

function sameWords(a: Call, b: Call): boolean {
  return a.before.length === b.before.length && a.before.every((word, i) => word === b.before[i]);
}

/** The program of a `.ps1` shim of npm: all of its calls must be of the same words, and it may set no variable for others. */
export function parsePs1Shim(file: string, text: string): Shim | undefined {
  if (/\$env:/i.test(text)) return undefined;
  const directory = path.dirname(file);
  const calls = [...text.matchAll(/& "([^"]+)"((?:\s+(?:"[^"]*"|[^\s"$&|;]+))*)\s+\$args\b/g)];
  const programs = [...new Set(calls.map((call) => call[1] ?? ''))];
  const rest = new Set(calls.map((call) => (call[2] ?? '').trim()));
  const [words] = rest;
  if (words === undefined || rest.size !== 1) return undefined;
  const place = (word: string): string => {
    const placed = word
      .replace(/^"|"$/g, '')
      .replace(/\$exe$/, '.exe')
      .replace(/^\$basedir\//, `${directory}\\`);
    return placed === word ? word : placed.includes('\\') ? path.normalize(placed) : placed;
  };
  const before = (words.match(/"[^"]*"|\S+/g) ?? []).map(place);
  const found = programs.map((program) => place(`"${program}"`).replace(/^node\.exe$/, 'node'));
  if ([...found, ...before].some((word) => word.includes('$'))) return undefined;
  return { programs: found, before, env: {} };
}

/** The `.shim` file of scoop beside an `.exe` of the same name: which program that starts, and with what in front. */
export function parseScoopShim(
  text: string,
): { readonly program: string; readonly args: string | undefined } | undefined {
  const program = /^\s*path\s*=\s*"?([^"\r\n]+?)"?\s*$/im.exec(text)?.[1];
  const args = /^\s*args\s*=\s*([^\r\n]*?)\s*$/im.exec(text)?.[1];
  return program === undefined ? undefined : { program, args: args || undefined };
}
