import { isUtf8 } from 'node:buffer';

/**
 * The detour through `sh` for what a spawn from Node cannot do: bytes that are no UTF-8, an ignored SIGHUP, a soft
 * limit. A pure builder; the caller decides whether it is needed (most starts do without).
 *
 * `sh` execs in place, so the pid stays. What a shell would do to the environment is undone by env(1): names that are no
 * identifiers are dropped by dash, and dash and bash set or alter those in `shellOwned`.
 */
export interface TrampolineInput {
  /** The agent's argument vector, its name first. */
  readonly argv: readonly Buffer[];
  /** Entries `NAME=value` of the agent's environment. */
  readonly environment: readonly Buffer[];
  /** Path of `sh`. */
  readonly sh: string;
  /** Path of env(1); undefined if there is none: the shell's damage then stays. */
  readonly env: string | undefined;
  /** Start the agent with SIGHUP ignored (an ignored signal stays ignored over exec; execve(2)). */
  readonly nohup: boolean;
  /** Soft limit of open files for the agent. */
  readonly openFiles: number | undefined;
}

export interface Trampoline {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Builds the command that becomes the agent with exactly these bytes. */
export function buildTrampoline(input: TrampolineInput): Trampoline {
  const entries = splitEntries(input.environment);
  const kept = entries.filter((entry) => !needsEnv(entry));
  const rebuilt = input.env === undefined ? [] : entries.filter(needsEnv);
  const unset = input.env === undefined ? [] : absentNames(entries);
  const envWords =
    input.env === undefined || rebuilt.length + unset.length === 0
      ? []
      : envCommand(input.env, unset, rebuilt, input.argv);
  const words = new WordList(unusedName(entries));
  const operands = [...envWords, ...input.argv].map((word) => words.add(word));
  const steps = [
    ...(input.nohup ? ["trap '' HUP"] : []),
    ...(input.openFiles === undefined ? [] : [`ulimit -Sn ${input.openFiles} 2>/dev/null`]),
    ...words.assignments,
    `exec ${operands.join(' ')}`,
  ];
  return {
    file: input.sh,
    args: ['-c', steps.join('\n'), 'sh', ...words.positional],
    env: Object.fromEntries(kept.map(({ name, value }) => [name.toString(), value.toString()])),
  };
}

/** True if the bytes survive decoding and encoding, as every string that Node passes on must. */
export function isLossless(bytes: Buffer): boolean {
  return isUtf8(bytes);
}

interface Entry {
  readonly name: Buffer;
  readonly value: Buffer;
  readonly bytes: Buffer;
}

function splitEntries(environment: readonly Buffer[]): Entry[] {
  return environment.flatMap((bytes) => {
    const equals = bytes.indexOf(0x3d);
    // An entry without a name cannot be set by env(1) nor by Node.
    if (equals < 1) return [];
    return [{ name: bytes.subarray(0, equals), value: bytes.subarray(equals + 1), bytes }];
  });
}

/** Variables that some `sh` (dash, bash, ksh, busybox) sets, resets, refuses to import or acts on at its start. */
const shellOwned =
  /^(?:PWD|OLDPWD|IFS|OPTIND|OPTARG|OPTERR|PPID|PS[0-4]|_|SHLVL|ENV|BASH.*|SHELLOPTS|UID|EUID|GROUPS|FUNCNAME|DIRSTACK|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH.*|COLUMNS|LINES|POSIXLY_CORRECT|HIST.*|KSH_VERSION|ERRNO|FCEDIT|MAIL.*)$/;

function needsEnv({ name, bytes }: Entry): boolean {
  const text = name.toString('latin1');
  return !/^[A-Za-z_][A-Za-z0-9_]*$/.test(text) || shellOwned.test(text) || !isLossless(bytes);
}

/** Exported by dash (PWD) or bash (the others) where they were not set. */
function absentNames(entries: readonly Entry[]): string[] {
  const present = new Set(entries.map(({ name }) => name.toString('latin1')));
  return ['PWD', 'OLDPWD', 'SHLVL', '_'].filter((name) => !present.has(name));
}

function envCommand(env: string, unset: readonly string[], set: readonly Entry[], argv: readonly Buffer[]): Buffer[] {
  return [
    Buffer.from(env),
    ...unset.flatMap((name) => [Buffer.from('-u'), Buffer.from(name)]),
    Buffer.from('--'),
    ...set.map(({ bytes }) => bytes),
    // env(1) would take a command with `=` in its name for one more entry; nice without an increment only execs.
    ...(argv[0]?.includes(0x3d) === true ? ['nice', '-n', '0'].map((word) => Buffer.from(word)) : []),
  ];
}

/** Shell variables are exported if the environment has one of that name: take a name that it has not. */
function unusedName(entries: readonly Entry[]): string {
  const names = entries.map(({ name }) => name.toString('latin1'));
  let prefix = 'w';
  while (names.some((name) => name.startsWith(prefix))) prefix += 'w';
  return prefix;
}

/** Words of a command: passed as they are where they can be, else rebuilt from octal escapes by printf. */
class WordList {
  readonly positional: string[] = [];
  readonly assignments: string[] = [];
  readonly #prefix: string;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** The expansion that gives the word. */
  add(word: Buffer): string {
    if (isLossless(word)) {
      this.positional.push(word.toString());
      return `"\${${this.positional.length}}"`;
    }
    const name = `${this.#prefix}${this.assignments.length}`;
    const octal = split(word).map((piece) => {
      this.positional.push([...piece].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join(''));
      return `\${${this.positional.length}}`;
    });
    // The full stop keeps newlines at the end, which a command substitution drops; it is never the second byte of a
    // character in a multi-byte encoding, as a letter may be.
    this.assignments.push(`${name}=$(printf %b "${octal.join('')}.") && ${name}=\${${name}%.}`);
    return `"$${name}"`;
  }
}

/** No argument may be longer than 128 KiB (execve(2), MAX_ARG_STRLEN), and an escape takes five characters a byte. */
const pieceBytes = 20_000;

function split(word: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let from = 0; from < word.length; from += pieceBytes) pieces.push(word.subarray(from, from + pieceBytes));
  return pieces;
}
