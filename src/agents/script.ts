import { calledName, executableName, type NamedProcess } from '../filter/shells.ts';

/** What an interpreter runs. */
export interface Script {
  /** As in argv: a path, a link in a bin directory, or the name of a Python module. */
  readonly path: string;
  readonly interpreter: 'node' | 'bun' | 'deno' | 'python';
  /** The arguments of the script. */
  readonly args: readonly string[];
}

/** The script that a process runs; undefined if it is no interpreter, or runs none (`-e`, `-c`, a prompt). */
export function findScript(process: NamedProcess): Script | undefined {
  const interpreter = interpreterOf(executableName(process));
  if (interpreter === undefined || process.argv === undefined || isPackageRunner(interpreter, process.argv)) {
    return undefined;
  }
  const { values, inline } = OPTIONS[interpreter];
  for (let index = 1; index < process.argv.length; index += 1) {
    const word = process.argv[index] ?? '';
    if (inline.has(word)) {
      return undefined;
    }
    if (interpreter === 'python' && word === '-m') {
      return at(process.argv, index + 1, interpreter);
    }
    if (values.has(word)) {
      index += 1;
    } else if (word === '--') {
      return at(process.argv, index + 1, interpreter);
    } else if (!word.startsWith('-') && !isSubcommand(word, interpreter)) {
      return at(process.argv, index, interpreter);
    }
  }
  return undefined;
}

/** Options whose value is the next word, and options that give the program inline, by interpreter. */
const OPTIONS = {
  node: {
    values: new Set(['-r', '--require', '--import', '--loader', '--experimental-loader', '-C', '--conditions']),
    inline: new Set(['-e', '--eval', '-p', '--print', '-pe', '-i', '--interactive']),
  },
  bun: { values: new Set(['-r', '--preload', '-c', '--config', '--cwd']), inline: new Set(['-e', '--eval', '-p']) },
  deno: { values: new Set(['-c', '--config', '--import-map']), inline: new Set(['eval', 'repl']) },
  python: { values: new Set(['-X', '-W', '--check-hash-based-pycs']), inline: new Set(['-c']) },
} as const satisfies Record<Script['interpreter'], { values: ReadonlySet<string>; inline: ReadonlySet<string> }>;

/** `node22` and `python3.13` are names of distributions and version managers. */
function interpreterOf(name: string): Script['interpreter'] | undefined {
  if (/^node(js)?[-\d.]*$/.test(name)) {
    return 'node';
  }
  if (/^(python|pypy)[\d.]*$/.test(name)) {
    return 'python';
  }
  return name === 'bun' || name === 'deno' ? name : undefined;
}

/** `bun x PACKAGE`, also called `bunx`, starts another process. */
function isPackageRunner(interpreter: Script['interpreter'], argv: readonly string[]): boolean {
  return interpreter === 'bun' && (argv[1] === 'x' || calledName(argv[0]) === 'bunx');
}

function isSubcommand(word: string, interpreter: Script['interpreter']): boolean {
  return word === 'run' && (interpreter === 'bun' || interpreter === 'deno');
}

function at(argv: readonly string[], index: number, interpreter: Script['interpreter']): Script | undefined {
  const path = argv[index];
  return path === undefined || path === '' ? undefined : { path, interpreter, args: argv.slice(index + 1) };
}
