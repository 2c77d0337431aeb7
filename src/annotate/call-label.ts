import type { Call } from '../model/call.ts';
import type { CallLabel } from '../model/row.ts';
import { squash } from './entry-name.ts';
import { redactText } from './redact.ts';

export interface LabelText {
  readonly label: CallLabel | undefined;
  /** True if secrets in it were replaced. */
  readonly redacted: boolean;
}

/** Makes labels of calls, each once however many processes it has; with `redact` without the secrets in its texts. */
export function createLabeller(redact: boolean): (call: Call | undefined) => LabelText {
  const known = new Map<Call, LabelText>();
  return (call) => {
    if (call === undefined) return NONE;
    const label = known.get(call) ?? toLabel(call, redact);
    known.set(call, label);
    return label;
  };
}

/** What names a call within its block. */
export function callIdOf({ pid, startTicks, toolId, command }: Call): string {
  if (pid !== undefined && startTicks !== undefined) return `${pid}:${startTicks}`;
  return toolId ?? `${pid ?? ''} ${command ?? ''}`;
}

const NONE: LabelText = { label: undefined, redacted: false };

function toLabel(call: Call, redact: boolean): LabelText {
  const shown = (text: string | undefined) => {
    const line = text === undefined ? undefined : squash(text);
    return line === undefined || !redact ? { text: line, redacted: false } : redactText(line);
  };
  const [description, command] = [shown(call.description), shown(call.command)];
  return {
    label: { callId: callIdOf(call), toolId: call.toolId, description: description.text, command: command.text },
    redacted: description.redacted || command.redacted,
  };
}
