import { describe, expect, it } from 'vitest';
import { findAgentRoots } from '../../src/agents/find-roots.ts';
import { type ProcessLine, toProcess } from './population.ts';

const GEMINI = '/x/node_modules/@google/gemini-cli/bundle/gemini.js';

interface Case {
  readonly title: string;
  readonly lines: readonly ProcessLine[];
  readonly recorded: readonly number[];
  /** pid and profile id. */
  readonly roots: readonly (readonly [number, string | undefined])[];
  readonly launchers?: readonly number[];
}

const cases: readonly Case[] = [
  {
    title: 'the recorded agent alone, not the agent below its tool shell',
    lines: [
      [10, 1, 10, 'claude -p x'],
      [20, 10, 20, 'bash -c y'],
      [21, 20, 20, 'claude -p y'],
    ],
    recorded: [10],
    roots: [[10, 'claude']],
  },
  {
    title: 'not an agent that replaced the shell of a tool call by exec',
    lines: [
      [10, 1, 10, 'node /x/bin/codex'],
      [11, 10, 10, 'codex exec'],
      [20, 11, 20, 'codex exec sub'],
    ],
    recorded: [10],
    roots: [
      [10, 'codex'],
      [11, 'codex'],
    ],
  },
  {
    title: 'not the same agent in a session of its own directly below the launcher',
    lines: [
      [10, 1, 10, `node ${GEMINI}`],
      [20, 10, 20, `node ${GEMINI} -p sub`],
    ],
    recorded: [10],
    roots: [[10, 'gemini']],
  },
  {
    title: 'the CLI that gemini starts of itself, and no further one below it',
    lines: [
      [10, 1, 10, `node ${GEMINI}`],
      [11, 10, 10, `node ${GEMINI}`],
      [12, 11, 10, `node ${GEMINI} mcp`],
    ],
    recorded: [10],
    roots: [
      [10, 'gemini'],
      [11, 'gemini'],
    ],
  },
  {
    title: 'not an MCP server that is the same native agent',
    lines: [
      [10, 1, 10, 'claude'],
      [11, 10, 10, 'claude mcp serve'],
    ],
    recorded: [10],
    roots: [[10, 'claude']],
  },
  {
    title: 'the agent below npx and its shell',
    lines: [
      [10, 1, 9, 'npm~exec @openai/codex'],
      [11, 10, 9, 'sh -c codex'],
      [12, 11, 9, 'node /x/.bin/codex'],
      [13, 12, 9, 'codex'],
    ],
    recorded: [10],
    roots: [
      [10, undefined],
      [12, 'codex'],
      [13, 'codex'],
    ],
    launchers: [11],
  },
  {
    title: 'the agent below a shell script, timeout and env',
    lines: [
      [10, 1, 9, 'sh wrapper.sh'],
      [11, 10, 9, 'timeout 60 claude'],
      [12, 11, 9, 'claude'],
      [13, 10, 9, 'sleep 9'],
    ],
    recorded: [10],
    roots: [
      [10, undefined],
      [12, 'claude'],
    ],
    launchers: [11],
  },
  {
    title: 'no agent below a recorded program that is no launcher',
    lines: [
      [10, 1, 9, 'node my-agent.js'],
      [11, 10, 9, 'claude'],
    ],
    recorded: [10],
    roots: [[10, undefined]],
  },
  {
    title: 'no agent behind a program that is no launcher',
    lines: [
      [10, 1, 9, 'sh wrapper.sh'],
      [11, 10, 9, 'make agent'],
      [12, 11, 9, 'claude'],
    ],
    recorded: [10],
    roots: [[10, undefined]],
  },
  {
    title: 'no daemon below a launcher',
    lines: [
      [10, 1, 9, 'sh wrapper.sh'],
      [11, 10, 11, 'claude daemon run'],
    ],
    recorded: [10],
    roots: [[10, undefined]],
  },
  {
    title: 'roots of earlier runs too, gone ones included',
    lines: [[40, 1, 40, 'claude']],
    recorded: [10, 40],
    roots: [
      [10, undefined],
      [40, 'claude'],
    ],
  },
  {
    title: 'a recorded root below a recorded launcher once',
    lines: [
      [10, 1, 9, 'sh wrapper.sh'],
      [11, 10, 9, 'claude'],
    ],
    recorded: [10, 11],
    roots: [
      [10, undefined],
      [11, 'claude'],
    ],
  },
];

describe('findAgentRoots finds', () => {
  it.each(cases)('$title', ({ lines, recorded, roots, launchers = [] }) => {
    const ever = recorded.map((pid) => ({ pid, startTicks: pid }));
    const found = findAgentRoots(lines.map(toProcess), ever);
    expect(found.roots.map(({ pid, profile }) => [pid, profile?.id])).toEqual(roots);
    expect([...found.launchers]).toEqual(launchers);
  });

  it('nothing of a process that took the pid of a root', () => {
    const { roots } = findAgentRoots([toProcess([10, 1, 10, 'claude'])], [{ pid: 10, startTicks: 3, agent: 'codex' }]);
    expect(roots).toMatchObject([{ pid: 10, startTicks: 3, recorded: true, profile: { id: 'codex' } }]);
  });
});
