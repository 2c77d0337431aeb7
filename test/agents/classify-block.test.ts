import { describe, expect, it } from 'vitest';
import { type BlockClassification, classifyBlock } from '../../src/agents/classify-block.ts';
import { type ProcessLine, toProcess } from './population.ts';

const QWEN = '/x/node_modules/@qwen-code/qwen-code/cli.js';

interface Case {
  readonly title: string;
  readonly recorded: readonly number[];
  /** Process, role, reason. */
  readonly lines: readonly (readonly [ProcessLine, string, string])[];
}

const cases: readonly Case[] = [
  {
    title: 'claude with MCP servers, tool calls and what they left',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'claude -p x'], 'root', 'launched as the agent'],
      [[11, 10, 10, 'node mcp.mjs'], 'plumbing', 'in the session of the agent'],
      [[12, 10, 10, 'sh -c node~mcp.mjs'], 'plumbing', 'in the session of the agent'],
      [[13, 12, 10, 'node mcp.mjs'], 'plumbing', 'below plumbing'],
      [[14, 13, 14, 'chrome --headless'], 'plumbing', 'below plumbing'],
      [[20, 10, 20, 'bash -c eval'], 'started', 'session of its own'],
      [[21, 20, 20, 'python3 -m http.server'], 'started', 'below a tool call'],
      [[22, 21, 22, 'node worker.js'], 'started', 'below a tool call'],
      [[30, 1, 29, 'sleep 601'], 'started', 'its parent has gone'],
      [[31, 30, 29, 'sleep 602'], 'started', 'below a process whose parent has gone'],
      [[32, 1, 10, 'node mcp.mjs'], 'plumbing', 'in the session of the agent'],
      [[33, 32, 33, 'chrome --headless'], 'plumbing', 'below plumbing'],
    ],
  },
  {
    title: 'a command that replaced the shell of its tool call by exec',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'opencode run'], 'root', 'launched as the agent'],
      [[20, 10, 20, 'sleep 9'], 'started', 'session of its own'],
    ],
  },
  {
    title: 'the real CLI below its own launcher',
    recorded: [10],
    lines: [
      [[10, 1, 9, `node ${QWEN}`], 'root', 'launched as the agent'],
      [[11, 10, 9, `node ${QWEN}`], 'root', 'the agent below its launcher'],
      [[12, 11, 9, 'node mcp.mjs'], 'plumbing', 'in the session of the agent'],
      [[20, 11, 20, 'tail -f x'], 'started', 'session of its own'],
    ],
  },
  {
    title: 'an idle agent below npx, of which nothing counts',
    recorded: [10],
    lines: [
      [[10, 1, 9, 'npm~exec @openai/codex'], 'root', 'launched as the agent'],
      [[11, 10, 9, 'sh -c codex'], 'plumbing', 'launches the agent'],
      [[12, 11, 9, 'codex'], 'root', 'the agent below its launcher'],
      [[13, 12, 9, 'node mcp.mjs'], 'plumbing', 'in the session of the agent'],
    ],
  },
  {
    title: 'a nested agent and a nested wrapper, which a tool call started',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'claude'], 'root', 'launched as the agent'],
      [[20, 10, 20, 'bash -c eval'], 'started', 'session of its own'],
      [[21, 20, 20, 'node /usr/bin/agentmux-run claude'], 'started', 'below a tool call'],
      [[22, 21, 20, 'claude -p sub'], 'started', 'below a tool call'],
      [[23, 22, 20, 'node mcp.mjs'], 'started', 'below a tool call'],
    ],
  },
  {
    title: 'an agent that left its session to a daemon',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'claude'], 'root', 'launched as the agent'],
      [[15, 1, 15, 'claude daemon run'], 'plumbing', 'daemon of the agent: Claude daemon'],
      [
        [16, 15, 16, 'claude~bg-pty-host --bg-pty-host /s'],
        'plumbing',
        'daemon of the agent: Claude background terminal',
      ],
      [[17, 16, 17, 'claude --session-id x'], 'plumbing', 'session of the agent in the background'],
      [[18, 17, 17, 'node mcp.mjs'], 'plumbing', 'in the session of the agent'],
      [[19, 17, 19, 'bash -c eval'], 'started', 'session of its own'],
      [[20, 19, 19, 'node server.js'], 'started', 'below a tool call'],
    ],
  },
  {
    title: 'the daemon of an agent that this block never ran',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'codex'], 'root', 'launched as the agent'],
      [[15, 1, 15, 'claude daemon run'], 'started', 'its parent has gone'],
    ],
  },
  {
    title: 'an unknown agent by the rule alone',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'my-agent'], 'root', 'launched as the agent'],
      [[11, 10, 10, 'node mcp.mjs'], 'plumbing', 'no shell between it and the agent'],
      [[12, 10, 10, 'conhost'], 'plumbing', 'console host'],
      [[13, 10, 13, 'sleep 9'], 'plumbing', 'no shell between it and the agent'],
      [[20, 10, 10, 'bash -c x'], 'started', 'a shell'],
      [[21, 20, 10, 'node x.js'], 'started', 'shell above it'],
    ],
  },
  {
    title: 'an agent without measured sessions by the rule alone',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'kimi'], 'root', 'launched as the agent'],
      [[13, 10, 13, 'sleep 9'], 'plumbing', 'no shell between it and the agent'],
    ],
  },
  {
    title: 'a shell as the agent',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'bash'], 'root', 'launched as the agent'],
      [[11, 10, 10, 'vite'], 'started', 'started by the shell'],
    ],
  },
  {
    title: 'what an agent left that has ended',
    recorded: [10],
    lines: [
      [[30, 1, 29, 'sleep 601'], 'started', 'its parent has gone'],
      [[31, 1, 10, 'node mcp.mjs'], 'started', 'its parent has gone'],
    ],
  },
  {
    title: 'a circle',
    recorded: [10],
    lines: [
      [[10, 1, 10, 'claude'], 'root', 'launched as the agent'],
      [[50, 51, 50, 'bash -c x'], 'plumbing', 'its parents form a circle'],
      [[51, 50, 50, 'node x'], 'plumbing', 'its parents form a circle'],
    ],
  },
  {
    title: 'claude where the system has no sessions, by the rule',
    recorded: [10],
    lines: [
      [[10, 1, undefined, 'claude'], 'root', 'launched as the agent'],
      [[11, 10, undefined, 'node mcp.mjs'], 'plumbing', 'no shell between it and the agent'],
      [[20, 10, undefined, 'bash -c x'], 'started', 'a shell'],
    ],
  },
  {
    title: 'a respawned agent in a new session',
    recorded: [5, 10],
    lines: [
      [[7, 1, 6, 'node server.js'], 'started', 'its parent has gone'],
      [[10, 1, 10, 'claude'], 'root', 'launched as the agent'],
      [[11, 10, 10, 'node mcp.mjs'], 'plumbing', 'in the session of the agent'],
    ],
  },
];

describe('classifyBlock classifies', () => {
  it.each(cases)('$title', ({ lines, recorded }) => {
    const members = lines.map(([line]) => toProcess(line));
    const { roles } = classifyBlock(
      members,
      recorded.map((pid) => ({ pid, startTicks: pid })),
    );
    expect(toRows(roles)).toEqual(lines.map(([[pid], role, because]) => [pid, role, because]));
  });

  it('the daemon of an agent that has ended, by what the block recorded', () => {
    const { roles } = classifyBlock(
      [toProcess([15, 1, 15, 'claude daemon run'])],
      [{ pid: 10, startTicks: 10, agent: 'claude' }],
    );
    expect(toRows(roles)).toEqual([[15, 'plumbing', 'daemon of the agent: Claude daemon']]);
  });

  it('the same in any order of members', () => {
    for (const { lines, recorded } of cases) {
      const members = lines.map(([line]) => toProcess(line)).reverse();
      const { roles } = classifyBlock(members, recorded.map((pid) => ({ pid, startTicks: pid })).reverse());
      expect(new Set(toRows(roles))).toEqual(new Set(lines.map(([[pid], role, because]) => [pid, role, because])));
    }
  });

  it('a member of which nothing is known as started', () => {
    const hidden = {
      pid: 9,
      ppid: undefined,
      sid: undefined,
      startTicks: undefined,
      exe: undefined,
      argv: undefined,
      comm: undefined,
    };
    expect(classifyBlock([hidden], []).roles.get(9)?.role).toBe('started');
  });
});

function toRows(roles: BlockClassification['roles']): [number, string, string][] {
  return [...roles].map(([pid, { role, because }]) => [pid, role, because]);
}
