/**
 * main.cjs RESULT.json PATTERN SECONDS BUNDLE…: runs each bundled test file in a node.exe of its own, one after the other,
 * so that a crash ends one file alone, and writes the results of all so far after each. After SECONDS it begins no other.
 * It stays to the end as the one that has the desktop: Wine starts explorer.exe for the first process that needs one,
 * inside the job of that process.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { DataType, load, open } from 'ffi-rs';
import type { FileResult } from './run-file.ts';

/** A file that says nothing for so long hangs, ms: what is awaited in a test ends before, one way or the other. */
const SILENCE_MS = 6 * 60_000;
/** Exit code for a file that hung: not it, but what runs it, since every wait in a test has an end. */
const HUNG = 75;

async function main([resultPath = '', pattern = '', seconds, ...bundles]: readonly string[]): Promise<number> {
  openDesktop();
  const results: FileResult[] = [];
  for (const bundle of bundles) {
    if (performance.now() > Number(seconds) * 1000) {
      process.stdout.write(`skipped: ${nameOf(bundle)}: no time is left\n`);
      continue;
    }
    const result = await runBundle(bundle, pattern);
    if (result === 'hung') return HUNG;
    results.push(result);
    writeFileSync(resultPath, JSON.stringify(results));
  }
  return 0;
}

function openDesktop(): void {
  open({ library: 'user32', path: 'user32.dll' });
  load({ library: 'user32', funcName: 'GetDesktopWindow', retType: DataType.I64, paramsType: [], paramsValue: [] });
}

async function runBundle(bundle: string, pattern: string): Promise<FileResult | 'hung'> {
  const name = nameOf(bundle);
  process.stdout.write(`\n${name}\n`);
  const resultPath = `${bundle}.json`;
  const args = ['--enable-source-maps', bundle, resultPath, ...(pattern === '' ? [] : [pattern])];
  const start = performance.now();
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let isHung = false;
  const timer = setTimeout(() => {
    isHung = true;
    child.kill();
  }, SILENCE_MS);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      timer.refresh();
      process.stdout.write(chunk);
    });
  }
  // Not its pipes: what a failed test left may hold them.
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  const result = readResult(resultPath);
  if (result) return result;
  if (isHung) return 'hung';
  const message = `ended with ${code} before its report`;
  process.stdout.write(`  × ${message}\n`);
  return { name, durationMs: performance.now() - start, message, assertionResults: [] };
}

function nameOf(bundle: string): string {
  return `test/${basename(bundle, '.cjs').replaceAll('~', '/')}`;
}

function readResult(path: string): FileResult | undefined {
  try {
    const result = JSON.parse(readFileSync(path, 'utf8')) as FileResult;
    rmSync(path);
    return result;
  } catch {
    return undefined;
  }
}

void main(process.argv.slice(2)).then((code) => process.exit(code));
