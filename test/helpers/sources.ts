import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** One module of the project, with what it imports. */
export interface SourceFile {
  /** Relative to the checkout, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The text without comments and without the contents of strings that span no import. */
  readonly code: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** Path of a file of ours, or the name of a package or built-in module. */
  readonly target: string;
  readonly isOurs: boolean;
  /** Loaded where it is used, not when the module is. */
  readonly isLazy: boolean;
}

/** Every TypeScript file below a folder of the checkout. */
export function readSources(folder: string): SourceFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name).replaceAll('\\', '/'))
    .sort()
    .map((path) => parseSource(path, readFileSync(path, 'utf8')));
}

/** Finds the imports of a module by its text: `import … from`, `export … from`, `import()` and `import('…')` types. */
export function parseSource(path: string, text: string): SourceFile {
  const code = text.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
  const eager = [...code.matchAll(/^(?:import|export)\s(?:[^'";]*?\sfrom\s)?'([^']+)'/gm)];
  const lazy = [...code.matchAll(/\b(?:import|require)\(\s*'([^']+)'\s*\)/g)];
  return {
    path,
    text,
    code,
    imports: [
      ...eager.map((match) => toImport(path, match, false)),
      ...lazy.map((match) => toImport(path, match, true)),
    ],
  };
}

function toImport(path: string, match: RegExpMatchArray, isLazy: boolean): Import {
  const specifier = match[1] ?? '';
  const isOurs = specifier.startsWith('.');
  const target = isOurs ? normalize(join(dirname(path), specifier)).replaceAll('\\', '/') : specifier;
  return { target, isOurs, isLazy };
}

/** Files that git tracks or would track, as paths; empty outside a checkout. */
export function listTrackedFiles(): string[] {
  try {
    const output = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return output.split('\0').filter(Boolean);
  } catch {
    return [];
  }
}
