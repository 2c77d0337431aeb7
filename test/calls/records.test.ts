import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHookRecord } from '../../src/calls/hook-record.ts';
import { parseShellRecord } from '../../src/calls/shell-record.ts';

const input = {
  session_id: 's1',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls', description: ' List ', run_in_background: true },
  tool_use_id: 'toolu_1',
  something_new: [1],
};
const stat = '12 (agentmux-bashwr) R 5 12 12 0 -1 4194304 215 0 0 0 0 0 0 0 20 0 1 0 358955 2654208 403 1 2 3';
const shell = (lines: readonly string[]) => ['agentmux-call 1', ...lines, 'end', ''].join('\n');
const string = "source /s 2>/dev/null || true && eval 'ls\n-l' < /dev/null && pwd -P >| /tmp/c";

describe('parseHookRecord', () => {
  it('reads what a hook was told', () => {
    expect(parseHookRecord('hook.1', JSON.stringify(input), 9)).toEqual({
      name: 'hook.1',
      toolId: 'toolu_1',
      sessionId: 's1',
      command: 'ls',
      description: 'List',
      background: true,
      atMs: 9,
    });
  });

  it.each([
    ['a torn file', JSON.stringify(input).slice(0, -5)],
    ['an empty file', ''],
    ['another tool', JSON.stringify({ ...input, tool_name: 'Read' })],
    ['another event', JSON.stringify({ ...input, hook_event_name: 'PostToolUse' })],
    ['no id', JSON.stringify({ ...input, tool_use_id: '' })],
    ['no session', JSON.stringify({ ...input, session_id: null })],
    ['a command that is no text', JSON.stringify({ ...input, tool_input: { command: ['ls'] } })],
    ['no input', JSON.stringify({ ...input, tool_input: null })],
    ['a name of every object', JSON.stringify({ ...input, tool_input: { toString: 1 } })],
  ])('takes %s for none', (_, text) => {
    expect(parseHookRecord('hook.1', text, 9)).toBeUndefined();
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.json(), fc.string({ unit: 'binary' })), (text) => void parseHookRecord('h', text, 0)),
    );
  });
});

describe('parseShellRecord', () => {
  it('reads what the prefix noted', () => {
    expect(parseShellRecord('call.12', shell(['12', stat, 's1', '5', string]), 9)).toEqual({
      name: 'call.12',
      pid: 12,
      startTicks: 358_955,
      sid: 12,
      sessionId: 's1',
      agentPid: 5,
      command: 'ls\n-l',
      atMs: 9,
    });
  });

  it('is content with the pid where nothing else was told', () => {
    expect(parseShellRecord('call.12', shell(['12', '', '', '', '']), 9)).toMatchObject({
      pid: 12,
      startTicks: undefined,
      sid: undefined,
      sessionId: undefined,
      agentPid: undefined,
      command: undefined,
    });
  });

  it.each([
    ['a name with blanks and parentheses', stat.replace('(agentmux-bashwr)', '(a) b (c d)')],
    ['a short status line', '12 (x) R 5 12'],
  ])('survives %s', (_, line) => {
    expect(parseShellRecord('call.12', shell(['12', line, 's1', '5', string]), 9)).toMatchObject({ pid: 12 });
  });

  it.each([
    ['every torn beginning of a record', ''],
    ['the status line of another process', shell(['13', stat, 's1', '5', string])],
    ['another version', shell(['12', stat, 's1', '5', string]).replace('call 1', 'call 2')],
    ['a pid that is none', shell(['x', stat, 's1', '5', string])],
  ])('takes %s for none', (_, text) => {
    expect(parseShellRecord('call.12', text, 9)).toBeUndefined();
  });

  it('takes a record that was cut anywhere for none', () => {
    const whole = shell(['12', stat, 's1', '5', string]);
    for (let length = 0; length < whole.length; length += 1) {
      expect(parseShellRecord('call.12', whole.slice(0, length), 9)).toBeUndefined();
    }
  });
});
