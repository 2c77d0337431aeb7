import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Path of a program of a pinned npm package, installed once into a cache outside the repository; undefined if it cannot be. */
export function installAgent(id: string, name: string, version: string, program: string): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const directory = join(cache, `agentmux-tests/${id}-${version}`);
  const path = join(directory, 'node_modules', program);
  if (existsSync(path)) return path;
  mkdirSync(directory, { recursive: true });
  process.stderr.write(`installing ${name} ${version} into ${directory}\n`);
  const words = ['install', '--prefix', directory, '--no-audit', '--no-fund', `${name}@${version}`];
  spawnSync('npm', words, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });
  return existsSync(path) ? path : undefined;
}
