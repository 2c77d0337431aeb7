import { describe, expect, it } from 'vitest';
import { markVariables, parseMarks, parseOutputLink } from '../../src/agents/marks.ts';
import { profiles } from '../../src/agents/profiles.ts';
import type { AgentMark } from '../../src/model/evidence.ts';

const SESSION = '5ca4e252-603c-4ea3-a167-f00e45c22fe6';
const OTHER = '9ac699e3-cf44-4072-8826-9fd621e9cb4e';

const environments: readonly [string, Record<string, string>, readonly Partial<AgentMark>[]][] = [
  [
    'a tool call of claude',
    { AI_AGENT: 'claude-code_2-1-332_agent', CLAUDE_PID: '4711', CLAUDE_CODE_SESSION_ID: SESSION },
    [{ agent: 'claude', kind: 'tool', name: 'AI_AGENT', pid: 4711, session: SESSION }],
  ],
  [
    'a hook of claude',
    { AI_AGENT: 'claude-code_2-1-332_harness', CLAUDE_PID: '4711', CLAUDE_CODE_SESSION_ID: SESSION },
    [{ agent: 'claude', kind: 'plumbing', name: 'AI_AGENT', pid: 4711, session: SESSION }],
  ],
  [
    'an MCP server of claude, whose pid is of the claude around it',
    {
      AI_AGENT: 'claude-code_2-1-332_harness',
      CLAUDE_PID: '4711',
      CLAUDE_CODE_SESSION_ID: SESSION,
      CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: SESSION,
    },
    [{ agent: 'claude', kind: 'plumbing', name: 'AI_AGENT', session: SESSION }],
  ],
  [
    'a tool call of a claude that an MCP server started',
    {
      AI_AGENT: 'claude-code_2-1-332_agent',
      CLAUDE_PID: '4712',
      CLAUDE_CODE_SESSION_ID: OTHER,
      CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS: SESSION,
    },
    [{ agent: 'claude', kind: 'tool', name: 'AI_AGENT', pid: 4712, session: OTHER }],
  ],
  [
    'a tool call of codex',
    { CODEX_TOOL_CALL_ID: 'call_1_0', CODEX_SESSION_ID: SESSION, CODEX_THREAD_ID: OTHER, CODEX_CI: '1' },
    [{ agent: 'codex', kind: 'tool', name: 'CODEX_TOOL_CALL_ID', session: SESSION, callId: 'call_1_0' }],
  ],
  [
    'a tool call of an older codex',
    { CODEX_TOOL_CALL_ID: 'c', CODEX_THREAD_ID: OTHER },
    [{ agent: 'codex', kind: 'tool', name: 'CODEX_TOOL_CALL_ID', session: OTHER, callId: 'c' }],
  ],
  ['a tool call of qwen', { QWEN_CODE: '1' }, [{ agent: 'qwen', kind: 'tool', name: 'QWEN_CODE' }]],
  ['nothing in what all processes of gemini carry', { GEMINI_CLI: '1' }, []],
  ['nothing in what all processes of opencode carry', { OPENCODE: '1', OPENCODE_PID: '4711' }, []],
  ['nothing in a mark of another agent', { AI_AGENT: 'other-cli_1_agent', CLAUDE_PID: '4711' }, []],
  ['nothing in an empty call', { CODEX_TOOL_CALL_ID: '' }, []],
  [
    'no pid in what is none',
    { AI_AGENT: 'claude-code_x_agent', CLAUDE_PID: '12x', CLAUDE_CODE_SESSION_ID: '' },
    [{ agent: 'claude', kind: 'tool', name: 'AI_AGENT' }],
  ],
  [
    'no session in what is longer than any',
    { AI_AGENT: 'claude-code_x_agent', CLAUDE_CODE_SESSION_ID: 'x'.repeat(10_000) },
    [{ agent: 'claude', kind: 'tool', name: 'AI_AGENT' }],
  ],
];

describe('parseMarks', () => {
  it.each(environments)('sees %s', (_title, environment, marks) => {
    const none = { session: undefined, pid: undefined, callId: undefined };
    expect(parseMarks(new Map(Object.entries(environment)), profiles)).toEqual(
      marks.map((mark) => ({ ...none, ...mark })),
    );
  });

  it('asks only for variables of agents that are asked about', () => {
    const codex = profiles.filter(({ id }) => id === 'codex');
    expect([...markVariables(codex)].sort()).toEqual(['CODEX_SESSION_ID', 'CODEX_THREAD_ID', 'CODEX_TOOL_CALL_ID']);
  });
});

describe('parseOutputLink', () => {
  const link = { agent: 'claude', session: SESSION, taskId: 'b9pwv34ie' };

  it.each<[string, (string | undefined)[], object | undefined]>([
    ['the output of a tool call', [`/tmp/claude-0/-p/${SESSION}/tasks/b9pwv34ie.output`], link],
    ['it after it was removed', [`/tmp/claude-0/-p/${SESSION}/tasks/b9pwv34ie.output (deleted)`], link],
    ['it on standard error alone', ['/dev/null', `/t/${SESSION}/tasks/b9pwv34ie.output`], link],
    ['none in a file of that name elsewhere', ['/home/me/tasks/b9pwv34ie.output'], undefined],
    ['none in a file below such a directory', [`/t/${SESSION}/tasks/x.output/y`], undefined],
    ['none in a socket or what cannot be read', ['socket:[12]', undefined], undefined],
  ])('sees %s', (_title, targets, expected) => {
    expect(parseOutputLink(targets, profiles)).toEqual(expected);
  });
});
