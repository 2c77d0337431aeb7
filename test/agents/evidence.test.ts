import { describe, expect, it } from 'vitest';
import { classifyBlock } from '../../src/agents/classify-block.ts';
import type { AgentMark, ProcessMarks, SessionBinding } from '../../src/model/evidence.ts';
import { type ProcessLine, toProcess } from './population.ts';

/** What the agent told: role of the mark, session, pid; `output:SESSION/TASK`. Parts are separated by blanks. */
type Told = string;

interface Case {
  readonly title: string;
  readonly roots: readonly number[];
  readonly bindings?: readonly SessionBinding[];
  /** Process, what was told of it, role, reason. */
  readonly lines: readonly (readonly [ProcessLine, Told, string, string])[];
}

const TOOL = 'marked as a tool call';
const OWN = "marked as the agent's own";
const BELOW_TOOL = 'below a tool call';
const claude = [10, 1, 10, 'claude -p x'] as const;

const cases: readonly Case[] = [
  {
    title: 'MCP servers behind shells and runners, and a browser in its own session, as plumbing',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[11, 10, 10, 'node mcp.mjs'], 'plumbing A', 'plumbing', OWN],
      [[12, 10, 12, 'sh -c node~mcp.mjs'], 'plumbing A', 'plumbing', OWN],
      [[13, 12, 12, 'node mcp.mjs'], 'plumbing A', 'plumbing', 'below plumbing'],
      [[14, 10, 14, 'npm~exec mcp'], 'plumbing A', 'plumbing', OWN],
      [[15, 14, 14, 'sh -c mcp'], 'plumbing A', 'plumbing', 'below plumbing'],
      [[16, 15, 14, 'node mcp'], '', 'plumbing', 'below plumbing'],
      [[17, 16, 17, 'chrome --headless'], '', 'plumbing', 'below plumbing'],
      [[18, 1, 18, 'chrome --zygote'], 'plumbing A', 'plumbing', OWN],
    ],
  },
  {
    title: 'hooks and status lines, which have sessions of their own, as plumbing',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[20, 10, 20, 'sh -c hook'], 'plumbing A 10', 'plumbing', OWN],
      [[21, 20, 20, 'node hook.mjs'], 'plumbing A 10', 'plumbing', 'below plumbing'],
    ],
  },
  {
    title: 'a process between fork and exec as plumbing',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[20, 10, 20, 'claude -p x'], '', 'plumbing', 'forked by the agent a moment ago'],
    ],
  },
  {
    title: 'tool calls and all below them, whatever it is, as started',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[20, 10, 20, 'bash -c eval'], 'tool A 10 output:A/t1', 'started', TOOL],
      [[21, 20, 20, 'node mcp.mjs'], 'tool A 10 output:A/t1', 'started', BELOW_TOOL],
      [[22, 21, 22, 'chrome'], '', 'started', BELOW_TOOL],
      [[23, 10, 10, 'sleep 9'], 'tool A 10', 'started', TOOL],
      [[24, 20, 20, 'env'], 'plumbing A 10', 'started', BELOW_TOOL],
    ],
  },
  {
    title: 'what a tool call left, by its mark, by its output, or by the rule where it hid both',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[20, 10, 20, 'bash -c eval'], 'tool A 10', 'started', TOOL],
      [[30, 1, 29, 'sleep 1'], 'tool A 10', 'started', TOOL],
      [[31, 1, 31, 'sleep 2'], 'output:A/t2', 'started', 'writes to the output of a tool call'],
      [[32, 1, 32, 'sleep 3'], '', 'started', 'its parent has gone'],
      [[33, 1, 10, 'sleep 4'], 'tool A 10', 'started', TOOL],
    ],
  },
  {
    title: 'plumbing that a tool mark contradicts',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[11, 10, 10, 'node mcp.mjs'], 'plumbing A', 'plumbing', OWN],
      [[12, 11, 12, 'bash -c x'], 'tool A 10', 'started', TOOL],
      [[13, 12, 12, 'sleep 9'], '', 'started', BELOW_TOOL],
    ],
  },
  {
    title: 'a nested agent in the block around it: all of it a tool call started',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[20, 10, 20, 'bash -c eval'], 'tool A 10 output:A/t1', 'started', TOOL],
      [[21, 20, 20, 'claude -p sub'], 'tool A 10 output:A/t1', 'started', BELOW_TOOL],
      [[22, 21, 20, 'node mcp.mjs'], 'plumbing B', 'started', BELOW_TOOL],
      [[23, 21, 23, 'sh -c hook'], 'plumbing B 21', 'started', BELOW_TOOL],
      [[24, 21, 24, 'bash -c eval'], 'tool B 21 output:B/t1', 'started', BELOW_TOOL],
      [[25, 1, 25, 'chrome'], 'plumbing B', 'started', 'its parent has gone'],
      [[26, 1, 26, 'sleep 9'], 'tool B 21 output:B/t1', 'started', 'its parent has gone'],
    ],
  },
  {
    title: 'a nested agent in its own block, by its own marks and not by those it inherited',
    roots: [21],
    lines: [
      [[21, 20, 20, 'claude -p sub'], 'tool A 10 output:A/t1', 'root', 'launched as the agent'],
      [[22, 21, 20, 'node mcp.mjs'], 'plumbing B', 'plumbing', OWN],
      [[23, 21, 23, 'sh -c hook'], 'plumbing B 21', 'plumbing', OWN],
      [[24, 21, 24, 'bash -c eval'], 'tool B 21 output:B/t1', 'started', TOOL],
      [[25, 21, 20, 'git status'], 'tool A 10', 'plumbing', 'in the session of the agent'],
      [[26, 1, 26, 'chrome'], 'plumbing B', 'plumbing', OWN],
      [[27, 1, 27, 'sleep 9'], 'tool A 10', 'started', 'its parent has gone'],
    ],
  },
  {
    title: 'what outlived its agent, by the session that was seen before',
    roots: [10],
    bindings: [{ agent: 'claude', session: 'A', rootPid: 10, rootStartTicks: 10 }],
    lines: [
      [[18, 1, 18, 'chrome --zygote'], 'plumbing A', 'plumbing', OWN],
      [[30, 1, 29, 'sleep 1'], 'tool A', 'started', TOOL],
      [[31, 1, 31, 'sleep 2'], 'output:A/t2', 'started', 'writes to the output of a tool call'],
      [[32, 1, 32, 'chrome'], 'plumbing B', 'started', 'its parent has gone'],
      [[33, 1, 33, 'chrome'], 'plumbing C 10', 'plumbing', OWN],
    ],
  },
  {
    title: 'by the rule what is older than the root that its mark names: the pid was used before',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[9, 1, 9, 'chrome'], 'plumbing A 10', 'started', 'its parent has gone'],
    ],
  },
  {
    title: 'a session that went on in the background: its servers as plumbing, its tools as started',
    roots: [10],
    lines: [
      [[15, 1, 15, 'claude daemon run --spawned-by {"pid":10}'], '', 'plumbing', 'daemon of the agent: Claude daemon'],
      [[16, 15, 16, 'claude --bg-pty-host /s'], '', 'plumbing', 'daemon of the agent: Claude background terminal'],
      [[17, 16, 17, 'claude --session-id x'], '', 'plumbing', 'session of the agent in the background'],
      [[18, 17, 18, 'sh -c mcp'], 'plumbing C', 'plumbing', OWN],
      [[19, 17, 19, 'bash -c eval'], 'tool C 17', 'started', TOOL],
      [[20, 1, 20, 'sleep 9'], 'tool C 17', 'started', TOOL],
      [[26, 15, 26, 'claude --bg-pty-host /s'], '', 'plumbing', 'daemon of the agent: Claude background terminal'],
      [[27, 26, 27, 'claude --bg-spare x'], '', 'plumbing', 'daemon of the agent: Claude spare session'],
    ],
  },
  {
    title: 'the daemon that a nested agent started as what a tool call left',
    roots: [10],
    lines: [
      [claude, '', 'root', 'launched as the agent'],
      [[15, 1, 15, 'claude daemon run --spawned-by {"pid":14}'], 'tool A 10', 'started', TOOL],
      [[16, 1, 16, 'claude daemon run --spawned-by {"pid":14}'], '', 'started', 'its parent has gone'],
    ],
  },
];

describe('with what the agent told, classifyBlock classifies', () => {
  it.each(cases)('$title', (given) => {
    expect(classify(given, given.lines)).toEqual(given.lines.map(([[pid], , role, because]) => [pid, role, because]));
  });

  it.each(cases)('in any order of members: $title', (given) => {
    const reversed = [...given.lines].reverse();
    expect(classify(given, reversed)).toEqual(reversed.map(([[pid], , role, because]) => [pid, role, because]));
  });

  it('qwen, whose mark names nobody, by the agent above', () => {
    const script = 'node /x/node_modules/@qwen-code/qwen-code/cli.js';
    const told = (agent: string): ProcessMarks => ({
      marks: [{ ...parseTold('tool', agent), session: undefined }],
      output: undefined,
    });
    const { roles } = classifyBlock(
      [
        toProcess([10, 1, 10, script]),
        toProcess([20, 10, 10, 'bash -c x']),
        toProcess([21, 10, 10, 'node mcp.mjs']),
        toProcess([22, 1, 22, 'sleep 9']),
      ],
      [{ pid: 10, startTicks: 10 }],
      () => ({ byPid: new Map([20, 22].map((pid) => [pid, told('qwen')])), bindings: [] }),
    );
    expect([20, 21, 22].map((pid) => roles.get(pid)?.because)).toEqual([
      TOOL,
      'in the session of the agent',
      'its parent has gone',
    ]);
  });

  it('what a qwen inside a qwen inherited, its own launcher in it, by the session', () => {
    const script = 'node /x/node_modules/@qwen-code/qwen-code/cli.js';
    const mark = { ...parseTold('tool', 'qwen'), pid: 9 };
    const { roles } = classifyBlock(
      [
        toProcess([9, 8, 9, script]),
        toProcess([10, 9, 9, script]),
        toProcess([20, 10, 20, 'bash -c x']),
        toProcess([21, 10, 9, 'node mcp.mjs']),
      ],
      [{ pid: 9, startTicks: 9 }],
      () => ({ byPid: new Map([10, 20, 21].map((pid) => [pid, { marks: [mark], output: undefined }])), bindings: [] }),
    );
    expect([20, 21].map((pid) => roles.get(pid)?.because)).toEqual([
      'session of its own',
      'in the session of the agent',
    ]);
  });

  it('nothing by marks where the block ran no agent that has any', () => {
    const { roles } = classifyBlock([toProcess([10, 1, 10, 'my-agent'])], [{ pid: 10, startTicks: 10 }], () => {
      throw new Error('asked for marks');
    });
    expect(roles.get(10)?.role).toBe('root');
  });

  it('and tells the session, the task and the call beside the reason', () => {
    const { roles, bindings } = classifyBlock(
      [toProcess(claude), toProcess([20, 10, 20, 'bash -c eval'])],
      [{ pid: 10, startTicks: 10 }],
      () => ({ byPid: new Map([[20, readTold('tool A 10 output:A/t1')]]), bindings: [] }),
    );
    expect(roles.get(20)?.evidence).toEqual({
      kind: 'mark',
      mark: 'AI_AGENT',
      session: 'A',
      taskId: 't1',
      callId: undefined,
    });
    expect(bindings).toEqual([{ agent: 'claude', session: 'A', rootPid: 10, rootStartTicks: 10 }]);
  });
});

function classify({ roots, bindings = [] }: Case, lines: Case['lines']): [number, string, string][] {
  const { roles } = classifyBlock(
    lines.map(([line]) => toProcess(line)),
    roots.map((pid) => ({ pid, startTicks: pid, agent: 'claude' })),
    () => ({ byPid: new Map(lines.map(([[pid], told]) => [pid, readTold(told)])), bindings }),
  );
  return [...roles].map(([pid, { role, because }]) => [pid, role, because]);
}

function readTold(told: Told): ProcessMarks {
  const words = told.split(' ').filter((word) => word !== '');
  const [session = '', taskId = ''] =
    words
      .find((word) => word.startsWith('output:'))
      ?.slice(7)
      .split('/') ?? [];
  const mark = words.filter((word) => !word.startsWith('output:')).join(' ');
  return {
    marks: mark === '' ? [] : [parseTold(mark, 'claude')],
    output: taskId === '' ? undefined : { agent: 'claude', session, taskId },
  };
}

function parseTold(text: string, agent: string): AgentMark {
  const [kind, session, pid] = text.split(' ');
  return {
    agent,
    kind: kind === 'tool' ? 'tool' : 'plumbing',
    name: 'AI_AGENT',
    session,
    pid: pid === undefined ? undefined : Number(pid),
    callId: undefined,
  };
}
