import { describe, field, parseObject, textField } from './parse-json.ts';

/** What a PreToolUse hook was told of a Bash call. A call that was denied afterwards leaves one too. */
export interface HookRecord {
  /** Of the file. */
  readonly name: string;
  readonly toolId: string;
  readonly sessionId: string;
  /** As the agent wrote it, before any hook rewrote it. */
  readonly command: string;
  readonly description: string | undefined;
  readonly background: boolean;
  readonly atMs: number;
}

/** Parses the input of a hook as it was copied to a file of that name at `atMs`; undefined if it is torn, or not a Bash call. */
export function parseHookRecord(name: string, text: string, atMs: number): HookRecord | undefined {
  const input = parseObject(text);
  const tool = field(input, 'tool_input');
  const toolId = textField(input, 'tool_use_id');
  const sessionId = textField(input, 'session_id');
  const command = textField(tool, 'command');
  if (field(input, 'hook_event_name') !== 'PreToolUse' || field(input, 'tool_name') !== 'Bash') return undefined;
  if (toolId === undefined || sessionId === undefined || command === undefined) return undefined;
  const background = field(tool, 'run_in_background') === true;
  return { name, toolId, sessionId, command, description: describe(field(tool, 'description')), background, atMs };
}
