import { expect } from 'vitest';
import type { CliResult } from './running-cli.ts';

export interface Expected {
  readonly stdout: string | RegExp;
  readonly stderr: string | RegExp;
  /** Exit code, or the name of the signal that ended it. */
  readonly status: number | NodeJS.Signals;
}

/** Fails with the whole result if any part differs, so that one look tells what happened. */
export function assertResult(argv: readonly string[], result: CliResult, expected: Expected): void {
  const matches =
    result.status === expected.status &&
    matchesText(result.stdout, expected.stdout) &&
    matchesText(result.stderr, expected.stderr);
  if (matches) return;
  const { status, stdout, stderr } = result;
  expect({ status, stdout, stderr }, argv.join(' ')).toEqual({
    status: expected.status,
    stdout: asExpectation(expected.stdout),
    stderr: asExpectation(expected.stderr),
  });
}

function matchesText(text: string, expected: string | RegExp): boolean {
  return typeof expected === 'string' ? text === expected : expected.test(text);
}

function asExpectation(expected: string | RegExp): unknown {
  return typeof expected === 'string' ? expected : expect.stringMatching(expected);
}
