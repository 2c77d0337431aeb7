import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { type File, startTests, type Task, type Test, type VitestRunner } from '@vitest/runner';
import { getTests } from '@vitest/runner/utils';
import '../../helpers/setup.ts';

/** What became of one test file, and of its tests; the names are those of vitest's JSON report. */
export interface FileResult {
  readonly name: string;
  readonly durationMs: number;
  /** Why the file itself failed: it threw when it was loaded, or a hook around all of it did. */
  readonly message: string;
  readonly assertionResults: readonly TestResult[];
}

export interface TestResult {
  readonly fullName: string;
  readonly status: 'passed' | 'failed' | 'skipped';
  readonly duration: number;
  readonly failureMessages: readonly string[];
}

/**
 * Runs one test file in this process by vitest's own runner, reports for people on stdout, and writes a FileResult to
 * the file that the first argument names. The second argument, if any, is a pattern for names of tests.
 */
export async function runFile(name: string, load: () => Promise<unknown>): Promise<void> {
  const [resultPath = '', pattern] = process.argv.slice(2);
  const start = performance.now();
  const [file] = await startTests([name], createRunner(load, pattern));
  if (!file) throw new Error('internal: the runner gave no file');
  const result = toResult(name, file, performance.now() - start);
  writeFileSync(resultPath, JSON.stringify(result));
  const failed = result.message !== '' || result.assertionResults.some((test) => test.status === 'failed');
  // What a failed test left open must not hold us.
  process.exit(failed ? 1 : 0);
}

function createRunner(load: () => Promise<unknown>, pattern: string | undefined): VitestRunner {
  return {
    config: {
      root: process.cwd(),
      setupFiles: [],
      name: undefined,
      passWithNoTests: true,
      testNamePattern: pattern === undefined ? undefined : new RegExp(pattern),
      allowOnly: true,
      sequence: { seed: 0, hooks: 'stack', setupFiles: 'list' },
      chaiConfig: undefined,
      maxConcurrency: 1,
      // A start costs seconds where the machine is busy.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      retry: 0,
      includeTaskLocation: false,
      tags: [],
      tagsFilter: undefined,
      strictTags: false,
    },
    importFile: load,
    onAfterRunTask: (test) => process.stdout.write(describeTest(test)),
  };
}

function describeTest(test: Test): string {
  const mark = { passed: '✓', failed: '×', skipped: '-' }[statusOf(test)];
  if (mark === '-') return '';
  const line = `  ${mark} ${titleOf(test)} ${Math.round(test.result?.duration ?? 0)} ms\n`;
  return mark === '✓' ? line : `${line}${indent(messagesOf(test).join('\n'))}\n`;
}

function toResult(name: string, file: File, durationMs: number): FileResult {
  const assertionResults = getTests(file).map((test) => ({
    fullName: titleOf(test),
    status: statusOf(test),
    duration: Math.round(test.result?.duration ?? 0),
    failureMessages: messagesOf(test),
  }));
  const message = suitesOf(file).flatMap(messagesOf).join('\n');
  if (message !== '') process.stdout.write(`  × ${name}\n${indent(message)}\n`);
  return { name, durationMs: Math.round(durationMs), message, assertionResults };
}

function suitesOf(task: Task): Task[] {
  return task.type === 'suite' ? [task, ...task.tasks.flatMap(suitesOf)] : [];
}

function statusOf(test: Test): TestResult['status'] {
  if (test.result?.state === 'pass') return 'passed';
  return test.result?.state === 'fail' ? 'failed' : 'skipped';
}

function titleOf(test: Test): string {
  const names: string[] = [];
  for (let task: Task | undefined = test; task && task !== task.file; task = task.suite) names.unshift(task.name);
  return names.join(' > ');
}

function messagesOf(task: Task): string[] {
  const errors = task.result?.errors ?? [];
  return errors.map(({ stack, message, diff }) => {
    const own = (stack ?? message).split('\n').filter((line) => !/^\s+at .*(node_modules|<anonymous>\)$)/.test(line));
    return stripVTControlCharacters([...own, ...(diff === undefined ? [] : [diff])].join('\n'));
  });
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}
