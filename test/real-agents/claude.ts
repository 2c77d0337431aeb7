import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The version whose process tree these tests know. */
const version = '2.1.332';

/** Claude needs a name of its own on every system: on Linux too the file is called so. */
const binary = 'node_modules/@anthropic-ai/claude-code/bin/claude.exe';

/** Path of a real claude, installed once into a cache outside the repository; undefined if that cannot be. */
export function installClaude(): string | undefined {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  const directory = join(cache, `agentmux-tests/claude-${version}`);
  const path = join(directory, binary);
  if (existsSync(path)) return path;
  mkdirSync(directory, { recursive: true });
  process.stderr.write(`installing claude ${version} into ${directory} (about 380 MB)\n`);
  const arguments_ = [
    'install',
    '--prefix',
    directory,
    '--no-audit',
    '--no-fund',
    `@anthropic-ai/claude-code@${version}`,
  ];
  spawnSync('npm', arguments_, { stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });
  return existsSync(path) ? path : undefined;
}

/** Settings that point claude at a scripted model and keep it off the network. */
export function claudeEnvironment(baseUrl: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    // Lets root skip the permission questions.
    IS_SANDBOX: '1',
  };
}
