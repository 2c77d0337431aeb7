import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

/** Bundles children/store-child.ts into a script that plain node of any supported version runs. */
export function buildStoreChild(outfile: string): void {
  buildSync({
    entryPoints: [fileURLToPath(new URL('./children/store-child.ts', import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    logLevel: 'error',
  });
}

export interface StoreChild {
  readonly process: ChildProcessByStdio<Writable, Readable, null>;
  /** Resolves when the child has written a line that starts so; rejects if it ends before. */
  line(start: string): Promise<string>;
  /** Resolves to exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** Starts a command; stdin is open, stdout read by lines, stderr ours. */
export function startChild(command: string, args: readonly string[]): StoreChild {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  child.stdout.on('data', (data: Buffer) => {
    const parts = (rest + data.toString()).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
    child.emit('agentmux-line');
  });
  const closed = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  return {
    process: child,
    ended: closed,
    async line(start) {
      for (;;) {
        const found = lines.find((line) => line.startsWith(start));
        if (found !== undefined) return found;
        const next = await Promise.race([once(child, 'agentmux-line').then(() => 'line' as const), closed]);
        if (next !== 'line' && !lines.some((line) => line.startsWith(start))) {
          throw new Error(`the child ended (${next}) before it wrote "${start}"`);
        }
      }
    },
  };
}
