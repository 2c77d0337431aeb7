import { win32 as path } from 'node:path';
import { LaunchError, RunExitCode } from '../../errors.ts';
import { parseCommandLine } from './command-line.ts';
import { type FoundFile, locateProgram, type ProgramQuestion, refuseName } from './locate-program.ts';
import { parseBundledNpm } from './npm-bundled.ts';
import { parseCmdShim, parsePs1Shim, parseScoopShim, type Shim } from './npm-shim.ts';

/** What is started for a name. */
export interface FoundProgram {
  /** Absolute path of a program, or of a batch file that only cmd.exe runs. */
  readonly file: string;
  readonly kind: 'program' | 'batch';
  /** Words before the agent's own arguments, e.g. a script. */
  readonly before: readonly string[];
  /** Variables that a shim sets. */
  readonly env: Readonly<Record<string, string>>;
  /** What was looked through on the way, for people who ask. */
  readonly notes: readonly string[];
}

/**
 * Finds what a shell would start for a name, and looks through shims that do nothing but start another program, so that
 * the agent itself is what is started. Throws LaunchError 127 (not found) or 126 (found, and no program).
 */
export function findWindowsProgram(question: ProgramQuestion): FoundProgram {
  const { file, notes } = locateProgram(question);
  const found = lookThrough(file, question, 0);
  return { ...found, notes: [...notes, ...found.notes] };
}

/** A shim may start another one; more than a few in a row is a circle. */
const mostShims = 4;

function lookThrough(file: string, question: ProgramQuestion, depth: number): FoundProgram {
  const plain: FoundProgram = { file, kind: 'program', before: [], env: {}, notes: [] };
  switch (path.extname(file).toLowerCase()) {
    case '.exe':
    case '.com':
      return lookThroughScoop(plain, question, depth);
    case '.cmd':
    case '.bat':
      return lookThroughBatch({ ...plain, kind: 'batch' }, question, depth);
    case '.ps1':
      return lookThroughPowerShell(plain, question, depth);
    default:
      if (isImage(question.files.readHead(file))) return plain;
      throw refuseFile(file, question);
  }
}

function lookThroughBatch(plain: FoundProgram, question: ProgramQuestion, depth: number): FoundProgram {
  const text = question.files.readText(plain.file);
  if (text === undefined || depth >= mostShims) return plain;
  const shim = parseCmdShim(plain.file, text, question.env) ?? parseBundledNpm(plain.file, text, question);
  return shim === undefined ? plain : follow(plain.file, shim, question, depth);
}

function lookThroughPowerShell({ file }: FoundProgram, question: ProgramQuestion, depth: number): FoundProgram {
  const shim = depth >= mostShims ? undefined : parsePs1Shim(file, question.files.readText(file) ?? '');
  if (shim !== undefined) return follow(file, shim, question, depth);
  throw new LaunchError(RunExitCode.notExecutable, `"${file}" is a script of PowerShell, not a program`, {
    hint: `agentmux-run powershell -File "${file}"`,
  });
}

function lookThroughScoop(plain: FoundProgram, question: ProgramQuestion, depth: number): FoundProgram {
  const beside = plain.file.replace(/\.[^.\\]*$/, '.shim');
  if (depth >= mostShims || question.files.kindOf(beside) !== 'file') return plain;
  const shim = parseScoopShim(question.files.readText(beside) ?? '');
  if (shim === undefined || !path.isAbsolute(shim.program)) return plain;
  const before = shim.args === undefined ? [] : parseCommandLine(`x ${shim.args}`).slice(1);
  return follow(beside, { programs: [shim.program], before, env: {} }, question, depth);
}

function follow(file: string, shim: Shim, question: ProgramQuestion, depth: number): FoundProgram {
  const target = chooseProgram(shim, question);
  if (target === undefined) {
    const program = shim.programs.at(-1) ?? '';
    throw new LaunchError(RunExitCode.notFound, `"${file}" starts "${program}", which was not found`);
  }
  const inner = lookThrough(target.file, question, depth + 1);
  const before = [...inner.before, ...shim.before];
  const what = [inner.file, ...before].join(' ');
  return { ...inner, before, env: { ...shim.env, ...inner.env }, notes: [`${file} starts ${what}`] };
}

function chooseProgram({ programs }: Shim, question: ProgramQuestion): FoundFile | undefined {
  for (const program of programs) {
    if (path.isAbsolute(program)) {
      if (question.files.kindOf(program) === 'file') return { file: program, notes: [] };
      continue;
    }
    try {
      return locateProgram({ ...question, name: program });
    } catch (error) {
      if (!(error instanceof LaunchError)) throw error;
    }
  }
  return undefined;
}

/** Every program of Windows begins with the letters of its format (winnt.h, IMAGE_DOS_SIGNATURE). */
function isImage(head: Buffer): boolean {
  return head.toString('latin1', 0, 2) === 'MZ';
}

function refuseFile(file: string, { files }: ProgramQuestion): LaunchError {
  const interpreter = /^#!\s*(\S+)(?:\s+(\S+))?/.exec(files.readHead(file).toString('latin1'));
  if (interpreter === null) return refuseName(file, 'is no program that Windows can start');
  const [, program = '', argument] = interpreter;
  const name = /(^|[\\/])env$/.test(program) && argument !== undefined ? argument : program.replace(/^.*[\\/]/, '');
  return refuseName(
    file,
    'is a script for other systems: Windows does not read "#!"',
    `agentmux-run ${name} "${file}"`,
  );
}
