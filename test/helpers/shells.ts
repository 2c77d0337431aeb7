import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bins, type Rig } from './cli.ts';

/** True if that shell can be started here. */
export function hasShell(name: string): boolean {
  return spawnSync(name, ['-c', 'true']).status === 0;
}

/** A directory with `agentmux` and `agentmux-run` as a user has them in PATH. */
export function makeBinDirectory(rig: Rig): string {
  const directory = join(rig.directory, 'bin');
  mkdirSync(directory);
  writeProgram(join(directory, 'agentmux'), `exec '${process.execPath}' '${bins.agentmux}' "$@"`);
  writeProgram(join(directory, 'agentmux-run'), `exec '${process.execPath}' '${bins.agentmuxRun}' "$@"`);
  return directory;
}

/** A script for sh. */
export function writeProgram(path: string, body: string): void {
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
}
