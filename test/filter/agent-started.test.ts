import { describe, expect, it } from 'vitest';
import { findAgentStarted, type RuleMember, type RuleRoot } from '../../src/filter/agent-started.ts';
import { processName } from '../../src/filter/shells.ts';

/** pid, ppid, name, start (the pid, if left out; null for unknown). */
type Line = readonly [number, number | undefined, string, (number | null)?];

interface Case {
  readonly title: string;
  readonly members: readonly Line[];
  readonly roots: readonly (number | readonly [number, number | undefined])[];
  readonly kept: readonly number[];
}

const cases: readonly Case[] = [
  {
    title: 'counts nothing of an idle agent with an MCP server and a conhost',
    members: [
      [10, 1, 'claude'],
      [11, 10, 'node'],
      [12, 10, 'conhost'],
      [13, 11, 'node'],
    ],
    roots: [10],
    kept: [],
  },
  {
    title: 'counts a tool shell and its descendants',
    members: [
      [10, 1, 'claude'],
      [20, 10, 'bash'],
      [21, 20, 'npm'],
      [22, 21, 'node'],
    ],
    roots: [10],
    kept: [20, 21, 22],
  },
  {
    title: 'does not count an MCP server and its children beside a tool shell',
    members: [
      [10, 1, 'claude'],
      [11, 10, 'node'],
      [12, 11, 'python3'],
      [20, 10, 'bash'],
    ],
    roots: [10],
    kept: [20],
  },
  {
    title: 'counts an MCP server that runs below a shell, which is all that the rule can see',
    members: [
      [10, 1, 'claude'],
      [11, 10, 'sh'],
      [12, 11, 'node'],
    ],
    roots: [10],
    kept: [11, 12],
  },
  {
    title: 'counts an orphan whose launching shell exited',
    members: [
      [10, 1, 'claude'],
      [30, 1, 'node'],
    ],
    roots: [10],
    kept: [30],
  },
  {
    title: 'counts what an orphan started',
    members: [
      [10, 1, 'claude'],
      [30, 1, 'node'],
      [31, 30, 'esbuild'],
    ],
    roots: [10],
    kept: [30, 31],
  },
  {
    title: 'counts an orphan of an exited root',
    members: [
      [30, 10, 'node'],
      [31, 30, 'node'],
    ],
    roots: [10],
    kept: [30, 31],
  },
  {
    title: 'counts a process whose parent is unknown',
    members: [
      [10, 1, 'claude'],
      [30, undefined, 'node'],
    ],
    roots: [10],
    kept: [30],
  },
  {
    title: 'counts the direct children of a root that is a shell, conhost not',
    members: [
      [10, 1, 'bash'],
      [11, 10, 'vite'],
      [12, 10, 'conhost'],
      [13, 11, 'node'],
    ],
    roots: [10],
    kept: [11, 13],
  },
  {
    title: 'excludes every root of a respawned agent',
    members: [
      [10, 1, 'claude'],
      [11, 10, 'node'],
      [40, 1, 'claude'],
      [41, 40, 'node'],
      [42, 40, 'bash'],
    ],
    roots: [10, 40],
    kept: [42],
  },
  {
    title: 'counts what the exited first root of a respawned agent left, and nothing of the second',
    members: [
      [12, 1, 'sleep'],
      [40, 1, 'claude'],
      [41, 40, 'node'],
    ],
    roots: [10, 40],
    kept: [12],
  },
  {
    title: 'meets the shell before a root that is below it',
    members: [
      [10, 1, 'claude'],
      [20, 10, 'bash'],
      [21, 20, 'claude'],
      [22, 21, 'node'],
    ],
    roots: [10],
    kept: [20, 21, 22],
  },
  {
    title: 'meets a nested root before the shell above it',
    members: [
      [10, 1, 'bash'],
      [21, 10, 'claude'],
      [22, 21, 'node'],
      [23, 21, 'zsh'],
    ],
    roots: [10, 21],
    kept: [23],
  },
  {
    title: 'passes through a conhost to its parents',
    members: [
      [10, 1, 'claude'],
      [11, 10, 'conhost'],
      [12, 11, 'node'],
      [20, 10, 'cmd'],
      [21, 20, 'conhost'],
    ],
    roots: [10],
    kept: [20],
  },
  {
    title: 'ends on a cycle of two and counts nothing of it',
    members: [
      [10, 1, 'claude'],
      [50, 51, 'node'],
      [51, 50, 'node'],
    ],
    roots: [10],
    kept: [],
  },
  {
    title: 'counts nothing of a cycle with a shell in it',
    members: [
      [50, 51, 'bash'],
      [51, 52, 'node'],
      [52, 50, 'node'],
    ],
    roots: [],
    kept: [],
  },
  {
    title: 'counts nothing of a process that is its own parent',
    members: [[50, 50, 'bash']],
    roots: [],
    kept: [],
  },
  {
    title: 'counts nothing that hangs on a cycle',
    members: [
      [50, 51, 'node'],
      [51, 50, 'node'],
      [52, 50, 'bash'],
      [53, 52, 'node'],
    ],
    roots: [],
    kept: [],
  },
  {
    title: 'drops a cycle before it asks which parent started later',
    members: [
      [50, 51, 'node', 100],
      [51, 50, 'node', 200],
    ],
    roots: [],
    kept: [],
  },
  {
    title: 'ends on a cycle without start times',
    members: [
      [50, 51, 'node', null],
      [51, 52, 'node', null],
      [52, 50, 'node', null],
    ],
    roots: [],
    kept: [],
  },
  {
    title: 'sees no cycle where the walk ends at a root whose own parent pid was reused below it',
    members: [
      [10, 20, 'claude', 100],
      [20, 10, 'bash', 200],
      [21, 20, 'node', 300],
      [22, 10, 'node', 300],
    ],
    roots: [[10, 100]],
    kept: [20, 21],
  },
  {
    title: 'does not count a parent that started later than its child: its pid was reused',
    members: [
      [10, 1, 'claude', 500],
      [30, 10, 'node', 400],
    ],
    roots: [[10, 500]],
    kept: [30],
  },
  {
    title: 'counts a parent that started in the same tick',
    members: [
      [10, 1, 'claude', 500],
      [30, 10, 'node', 500],
    ],
    roots: [[10, 500]],
    kept: [],
  },
  {
    title: 'counts a parent whose start is unknown',
    members: [
      [10, 1, 'claude', null],
      [30, 10, 'node', 400],
    ],
    roots: [[10, 500]],
    kept: [],
  },
  {
    title: 'counts a parent where the start of the child is unknown',
    members: [
      [10, 1, 'claude', 500],
      [30, 10, 'node', null],
    ],
    roots: [[10, 500]],
    kept: [],
  },
  {
    title: 'does not take a process for a root that has only its pid',
    members: [
      [10, 1, 'node', 900],
      [11, 10, 'node', 950],
    ],
    roots: [[10, 100]],
    kept: [10, 11],
  },
  {
    title: 'takes a process for a root by its pid where the start of the root is unknown',
    members: [[10, 1, 'node', 900]],
    roots: [[10, undefined]],
    kept: [],
  },
  {
    title: 'counts nothing of nothing',
    members: [],
    roots: [10],
    kept: [],
  },
];

describe('findAgentStarted', () => {
  it.each(cases)('$title', ({ members, roots, kept }) => {
    expect([...findAgentStarted(members.map(toMember), roots.map(toRoot))].sort((a, b) => a - b)).toEqual(kept);
  });

  it.each([
    ['a Windows path', { exe: 'C:\\Windows\\System32\\WindowsPowerShell\\v1.0\\powershell.exe' }],
    ['busybox', { exe: '/bin/busybox', argv: ['sh', '-c', 'npm test'] }],
    ['a deleted executable', { exe: '/usr/bin/bash (deleted)' }],
    ['a command that is a whole argv', { exe: '/usr/bin/bash', argv: ['/bin/bash -c npm test'] }],
    ['an unreadable executable', { argv: ['/bin/sh', '-c', 'npm test'] }],
  ])('knows a shell by %s', (_title, { exe, argv }: { exe?: string; argv?: string[] }) => {
    const shell = { pid: 20, ppid: 10, startTicks: 20, name: processName({ exe, argv, comm: 'node' }) };
    const members = [toMember([10, 1, 'claude']), shell, toMember([21, 20, 'node'])];
    expect([...findAgentStarted(members, [toRoot(10)])]).toEqual([20, 21]);
  });

  it('walks a chain deeper than the stack', () => {
    const members = Array.from({ length: 20_000 }, (_, index) => toMember([index + 2, index + 1, 'node']));
    expect(findAgentStarted(members, []).size).toBe(20_000);
  });
});

function toMember([pid, ppid, name, start = pid]: Line): RuleMember {
  return { pid, ppid, name, startTicks: start ?? undefined };
}

function toRoot(root: number | readonly [number, number | undefined]): RuleRoot {
  return typeof root === 'number' ? { pid: root, startTicks: root } : { pid: root[0], startTicks: root[1] };
}
