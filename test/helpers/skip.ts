import { spawnSync } from 'node:child_process';
import { describe, it, type TestContext } from 'vitest';

/** What this machine offers, for the conditions of `describeIf` and `itIf`. */
export const isRoot = process.getuid?.() === 0;
export const isLinux = process.platform === 'linux';
export const isWindows = process.platform === 'win32';
export const hasPython = spawnSync('python3', ['-c', '']).status === 0;

/** `describe` where `condition` holds; else skips the suite and prints why, so that no gap goes unseen. */
export function describeIf(condition: boolean, reason: string, title: string, body: () => void): void {
  if (condition) {
    describe(title, body);
    return;
  }
  printSkip(title, reason);
  describe.skipIf(true)(`${title} (skipped: ${reason})`, body);
}

/** `it` where `condition` holds; else skips the test and prints why. */
export function itIf(
  condition: boolean,
  reason: string,
  title: string,
  body: (context: TestContext) => void | Promise<void>,
  timeoutMs?: number,
): void {
  if (condition) {
    it(title, body, timeoutMs);
    return;
  }
  printSkip(title, reason);
  it.skipIf(true)(`${title} (skipped: ${reason})`, body, timeoutMs);
}

function printSkip(title: string, reason: string): void {
  process.stderr.write(`skipped: ${title}: ${reason}\n`);
}
