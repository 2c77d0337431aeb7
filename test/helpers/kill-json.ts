import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import type { Rig } from './cli.ts';
import { anything } from './cli-call.ts';
import { compileSchema, findFaults } from './json-schema.ts';

/** What `kill` and `kill-tree` print as JSON, as far as tests look at it. */
export interface KillDocument {
  readonly ok: boolean | null;
  readonly rows: readonly { readonly pid: number; readonly result: string | null; readonly detail: string | null }[];
  /** Of `kill` alone. */
  readonly remaining: readonly { readonly pid: number }[];
}

/** Runs `agentmux kill --json` or `kill-tree --json`, and holds its output to the schema. */
export async function killJson(
  command: 'kill' | 'kill-tree',
  rig: Rig,
  status: number,
  ...args: string[]
): Promise<KillDocument> {
  const call = rig
    .agentmux(command, '--json', ...args)
    .stdout(anything)
    .stderr(anything)
    .status(status);
  return parseKillJson(command, (await call.run()).stdout);
}

/** Parses what one of them printed, and holds it to its schema. */
export function parseKillJson(command: 'kill' | 'kill-tree', text: string): KillDocument {
  const document = JSON.parse(text) as KillDocument;
  expect(findFaults(compileSchema(command), document)).toEqual([]);
  return document;
}

/** The text of a file; undefined if there is none. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
