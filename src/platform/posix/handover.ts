import { accessSync, constants } from 'node:fs';
import { LaunchError, RunExitCode } from '../../errors.ts';
import { type OpenFd, readOpenFds } from '../linux/fds.ts';
import { readOpenFilesLimit } from '../linux/limits.ts';
import { readRawSelf } from '../linux/raw-args.ts';
import type { Handover } from '../starter.ts';

/** Reads it. `operands` are the agent's words as Node decoded them. Throws LaunchError 125 for a `--pass-fd` not open. */
export function readHandover(
  operands: readonly string[],
  passFds: readonly number[],
  env: Readonly<Record<string, string | undefined>>,
): Handover {
  const raw = readRawSelf();
  const fds = selectFds(readOpenFds(), passFds);
  return {
    argv: lastArguments(raw?.argv.map((entry) => entry.bytes) ?? [], operands),
    environment: raw?.environment.map((entry) => entry.bytes) ?? encodeEnvironment(env),
    fds,
    openFiles: selectOpenFiles(readOpenFilesLimit('/proc', process.ppid), readOpenFilesLimit('/proc', process.pid)),
  };
}

/** Pipes are passed only where they were asked for, since Node's own cannot be told from those of the caller. */
export function selectFds(open: readonly OpenFd[], passFds: readonly number[]): number[] {
  const missing = passFds.find((fd) => !open.some((one) => one.fd === fd));
  if (missing !== undefined) {
    throw new LaunchError(RunExitCode.failed, `--pass-fd ${missing}: that descriptor is not open`);
  }
  const isHandedOn = ({ fd, kind }: OpenFd): boolean =>
    passFds.includes(fd) || kind === 'file' || kind === 'socket' || kind === 'tty';
  return open.filter(isHandedOn).map(({ fd }) => fd);
}

/** The stdio array of spawn: 0 to 2 and each descriptor under its own number. */
export function toStdio(fds: readonly number[]): ('inherit' | 'ignore' | number)[] {
  const stdio: ('inherit' | 'ignore' | number)[] = ['inherit', 'inherit', 'inherit'];
  // From 3 on `ignore` leaves a descriptor as it is: closed at the exec.
  for (const fd of fds) {
    while (stdio.length < fd) stdio.push('ignore');
    stdio[fd] = fd;
  }
  return stdio;
}

/** The first value of a variable, in raw bytes. */
export function findVariable({ environment }: Pick<Handover, 'environment'>, name: string): Buffer | undefined {
  const start = Buffer.from(`${name}=`);
  return environment.find((entry) => entry.subarray(0, start.length).equals(start))?.subarray(start.length);
}

/** Where a helper program is that can be run, or undefined. */
export function findHelper(name: string): string | undefined {
  return [`/usr/bin/${name}`, `/bin/${name}`].find(isExecutable);
}

/** True if we may run that file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The operands are our last arguments; checked, since a caller may have changed what /proc tells. */
function lastArguments(raw: readonly Buffer[], operands: readonly string[]): Buffer[] {
  const last = operands.length === 0 ? [] : raw.slice(-operands.length);
  const isSame = last.length === operands.length && last.every((bytes, i) => bytes.toString() === operands[i]);
  return isSame ? last : operands.map((word) => Buffer.from(word));
}

function encodeEnvironment(env: Readonly<Record<string, string | undefined>>): Buffer[] {
  return Object.entries(env).map(([name, value]) => Buffer.from(`${name}=${value ?? ''}`));
}

interface Limit {
  readonly soft: number;
  readonly hard: number;
}

/**
 * Node raises the soft limit of open files to the hard one at its start (node.cc, PlatformInit), and a program that
 * uses select(2) or closes all it may have suffers. What we got is what our parent has, as far as one can tell.
 */
function selectOpenFiles(parent: Limit | undefined, own: Limit | undefined): number | undefined {
  if (parent === undefined || own === undefined || own.soft !== own.hard) return undefined;
  return parent.soft < own.soft ? parent.soft : undefined;
}
