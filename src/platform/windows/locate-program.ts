import { win32 as path } from 'node:path';
import { LaunchError, RunExitCode } from '../../errors.ts';

/** What a search needs of the file system; it follows links. */
export interface ProgramFiles {
  kindOf(file: string): 'file' | 'directory' | undefined;
  /** The whole text of a small file; undefined if it cannot be read or is not small. */
  readText(file: string): string | undefined;
  /** The first bytes of a file; empty if it cannot be read. */
  readHead(file: string): Buffer;
}

export interface ProgramQuestion {
  /** As the user typed it. */
  readonly name: string;
  /** A variable by its name, in whatever case. */
  readonly env: (name: string) => string | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly files: ProgramFiles;
}

export interface FoundFile {
  readonly file: string;
  /** What was understood in another way than it was written. */
  readonly notes: readonly string[];
}

/**
 * Finds the file of a name by PATH and PATHEXT, as cmd.exe does, but never in the working directory, where whoever wrote
 * the files of a project would choose the program. A name with a separator is a path. A file without an extension of
 * PATHEXT counts only if it is named whole. Throws LaunchError 126 or 127.
 */
export function locateProgram(question: ProgramQuestion): FoundFile {
  const { name } = question;
  if (name === '') throw notFound(name, '');
  if (/[\\/:]/.test(name)) return locatePath(question);
  let isDirectory = false;
  let script: string | undefined;
  for (const directory of splitPath(question.env('PATH') ?? '', question.cwd)) {
    const base = path.join(directory, name);
    const file = findFile(base, question);
    if (file !== undefined) return { file, notes: [] };
    isDirectory ||= question.files.kindOf(base) === 'directory';
    script ??= question.files.kindOf(`${base}.ps1`) === 'file' ? `${base}.ps1` : undefined;
  }
  if (script !== undefined) return { file: script, notes: [] };
  if (isDirectory) throw refuseName(name, 'is a directory, not a program');
  throw notFound(name, ' on PATH');
}

/** The error of a name that was found and cannot be started. */
export function refuseName(name: string, why: string, hint?: string): LaunchError {
  return new LaunchError(RunExitCode.notExecutable, `"${name}" ${why}`, hint === undefined ? {} : { hint });
}

function locatePath(question: ProgramQuestion): FoundFile {
  const { name, cwd, files } = question;
  const native = fromMsys(question);
  const base = path.resolve(cwd, native ?? name);
  const file = findFile(base, question) ?? (files.kindOf(`${base}.ps1`) === 'file' ? `${base}.ps1` : undefined);
  if (file !== undefined) return { file, notes: native === undefined ? [] : [`"${name}" is read as ${base}`] };
  const kind = files.kindOf(base);
  if (kind === 'directory') throw refuseName(name, 'is a directory, not a program');
  // Named whole, it may be a program all the same: whoever looks into it decides.
  if (kind === 'file') return { file: base, notes: [] };
  if (/^\/[A-Za-z]/.test(name) && native === undefined) {
    throw new LaunchError(RunExitCode.notFound, `command "${name}" was not found: it is no path of Windows`, {
      hint: `in Git Bash: agentmux-run "$(cygpath -w ${name})"`,
    });
  }
  throw notFound(name, '');
}

/** `/c/Users/x`, as MSYS and Git Bash write `C:\Users\x`; undefined if it is none, or if there is such a path here. */
function fromMsys({ name, cwd, files }: ProgramQuestion): string | undefined {
  const match = /^\/([A-Za-z])(\/.*)$/.exec(name);
  if (match === null || files.kindOf(path.resolve(cwd, name)) !== undefined) return undefined;
  return path.normalize(`${match[1]?.toUpperCase()}:${match[2]}`);
}

/** The file itself if it has an extension, else with each extension of PATHEXT. */
function findFile(base: string, { env, files }: ProgramQuestion): string | undefined {
  const extensions = readExtensions(env('PATHEXT'));
  const isWhole = extensions.includes(path.extname(base).toLowerCase());
  const names = [...(isWhole ? [base] : []), ...extensions.map((extension) => `${base}${extension}`)];
  return names.find((file) => files.kindOf(file) === 'file');
}

/** Those that can be started without asking Explorer which program a file belongs to. */
function readExtensions(pathExt: string | undefined): string[] {
  const startable = ['.com', '.exe', '.bat', '.cmd'];
  const listed = (pathExt ?? '').toLowerCase().split(';');
  const found = listed.filter((extension) => startable.includes(extension));
  return found.length === 0 ? startable : found;
}

/** Entries may be quoted; a semicolon within quotes belongs to the name. Empty ones are nothing. */
function splitPath(text: string, cwd: string): string[] {
  const entries = text.match(/(?:"[^"]*"?|[^;"])+/g) ?? [];
  return entries
    .map((entry) => entry.replaceAll('"', '').trim())
    .filter((entry) => entry !== '')
    .map((entry) => path.resolve(cwd, entry));
}

function notFound(name: string, where: string): LaunchError {
  return new LaunchError(RunExitCode.notFound, `command "${name}" was not found${where}`);
}
