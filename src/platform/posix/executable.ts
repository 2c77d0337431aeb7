import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { LaunchError, RunExitCode } from '../../errors.ts';

/**
 * Finds what execvp(3) would start for `name`, in raw bytes, since a path need not be UTF-8: a name with a slash is the
 * path itself, any other is looked for in `path`; an empty entry there is the current directory.
 *
 * Throws LaunchError 127 (not found) or 126 (a directory, not executable, an interpreter that is missing), so that the
 * refusal is ours to word and comes before anything was created.
 */
export function resolveExecutable(name: Buffer, path: Buffer | undefined): Buffer {
  if (name.length === 0) throw notFound(name, '');
  if (name.includes(slash)) {
    const verdict = judge(name);
    if (verdict !== 'executable') throw refusal(name, verdict);
    checkInterpreter(name);
    return name;
  }
  let worst: Exclude<Verdict, 'executable'> = 'missing';
  for (const directory of splitPath(path ?? defaultPath)) {
    const candidate = Buffer.concat([directory, Buffer.from('/'), name]);
    const verdict = judge(candidate);
    if (verdict === 'executable') {
      checkInterpreter(candidate);
      return candidate;
    }
    // What a shell says: a directory of PATH that may not be searched hides nothing that was asked for.
    if (verdict !== 'missing' && verdict !== 'hidden' && worst === 'missing') worst = verdict;
  }
  throw refusal(name, worst);
}

/** `hidden`: in a directory that may not be searched, so that nobody knows whether it is there. */
type Verdict = 'executable' | 'missing' | 'directory' | 'hidden' | 'not executable';

const slash = 0x2f;
const colon = 0x3a;
/** What glibc searches without PATH (confstr(3), _CS_PATH). */
const defaultPath = Buffer.from('/bin:/usr/bin');

function* splitPath(path: Buffer): Generator<Buffer> {
  let start = 0;
  while (start <= path.length) {
    const found = path.indexOf(colon, start);
    const end = found === -1 ? path.length : found;
    yield end === start ? Buffer.from('.') : path.subarray(start, end);
    start = end + 1;
  }
}

function judge(path: Buffer): Verdict {
  try {
    // Most directories of PATH have no such file: an error for each would cost more than the looks.
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return 'missing';
    if (stat.isDirectory()) return 'directory';
  } catch (error) {
    return isRefused(error) ? 'hidden' : 'missing';
  }
  try {
    accessSync(path, constants.X_OK);
    return 'executable';
  } catch (error) {
    return isRefused(error) ? 'not executable' : 'missing';
  }
}

function isRefused(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

function refusal(name: Buffer, verdict: Exclude<Verdict, 'executable'>): LaunchError {
  if (verdict === 'directory') {
    return new LaunchError(RunExitCode.notExecutable, `"${name}" is a directory, not a program`);
  }
  if (verdict === 'hidden' && name.includes(slash)) {
    return new LaunchError(RunExitCode.notExecutable, `"${name}" is in a directory that may not be searched`);
  }
  if (verdict === 'not executable') {
    return new LaunchError(RunExitCode.notExecutable, `"${name}" was found and is not executable`);
  }
  return notFound(name, name.includes(slash) ? '' : ' on PATH');
}

function notFound(name: Buffer, where: string): LaunchError {
  return new LaunchError(RunExitCode.notFound, `command "${name}" was not found${where}`);
}

/** The kernel reports a missing interpreter as ENOENT of the script (execve(2)), which names the wrong file. */
function checkInterpreter(script: Buffer): void {
  const interpreter = parseInterpreter(readHead(script));
  if (interpreter === undefined || judge(interpreter) === 'executable') return;
  throw new LaunchError(
    RunExitCode.notExecutable,
    `"${script}" cannot be started: its interpreter "${interpreter}" is missing or not executable`,
  );
}

/** The interpreter that a `#!` line names; undefined if the file has none (execve(2), "Interpreter scripts"). */
export function parseInterpreter(head: Buffer): Buffer | undefined {
  if (head[0] !== 0x23 || head[1] !== 0x21) return undefined;
  const newline = head.indexOf(0x0a);
  const line = head.subarray(2, newline === -1 ? head.length : newline).toString('latin1');
  const [word] = line.trimStart().split(/[ \t\0]/);
  return word === undefined || word === '' ? undefined : Buffer.from(word, 'latin1');
}

/** The kernel looks at no more of a script's first line (BINPRM_BUF_SIZE). */
const headBytes = 256;

function readHead(path: Buffer): Buffer {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    // Executable and not readable is legal; the kernel then reads the head itself.
    return Buffer.alloc(0);
  }
  try {
    const head = Buffer.alloc(headBytes);
    return head.subarray(0, readSync(fd, head, 0, headBytes, 0));
  } catch {
    return Buffer.alloc(0);
  } finally {
    closeSync(fd);
  }
}
