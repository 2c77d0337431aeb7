import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { answerOther } from './other-protocols.ts';

/** A tool call that the model asks for: a command for the agent's shell. */
export interface ToolCall {
  readonly command: string;
  readonly description: string;
  /** Runs on while the agent goes on. */
  readonly background?: boolean;
  /** Another tool than the shell, without arguments; the command is not used then. */
  readonly tool?: string;
}

/** One answer of the model: some words, and the tool calls that it wants made. */
export interface Turn {
  readonly text: string;
  readonly tools?: readonly ToolCall[];
}

interface Message {
  readonly role: 'user' | 'assistant';
}

interface MessagesRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly Message[];
  readonly tools?: readonly { readonly name: string }[];
}

/**
 * A model that plays a script, as an Anthropic Messages endpoint on the loopback; other-protocols.ts has three more. It
 * keeps no state: which turn is next is read off the conversation that the agent sends, so retries are harmless. After the
 * script it says `done`; asked without tools (titles, probes) it says `ok`. Resolves to the base URL; closed when the test
 * has finished. `spans` gets the ms from each answer to the next question: what the agent took for its tool calls.
 */
export async function startModelServer(script: readonly Turn[], spans: number[] = []): Promise<string> {
  let answeredAt: number | undefined;
  const server = http.createServer(async (request, response) => {
    const askedAt = performance.now();
    const body = await readJson(request);
    if (request.method === 'POST' && /\/messages(\?|$)/.test(request.url ?? '')) {
      if (answeredAt !== undefined && body.tools !== undefined) spans.push(askedAt - answeredAt);
      answer(response, body, script);
      answeredAt = performance.now();
    } else if (!answerOther(response, request.url ?? '', body, script)) sendJson(response, { input_tokens: 1 });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function readJson(request: http.IncomingMessage): Promise<MessagesRequest> {
  let text = '';
  for await (const chunk of request) text += chunk;
  try {
    return JSON.parse(text) as MessagesRequest;
  } catch {
    return {};
  }
}

function answer(response: http.ServerResponse, body: MessagesRequest, script: readonly Turn[]): void {
  const played = (body.messages ?? []).filter(({ role }) => role === 'assistant').length;
  const canUseTools = (body.tools ?? []).some(({ name }) => name === 'Bash');
  const { text, tools = [] } = canUseTools ? (script[played] ?? { text: 'done' }) : { text: 'ok' };
  const content = [
    { type: 'text', text },
    ...tools.map(({ tool, ...call }, index) => ({
      type: 'tool_use',
      id: `toolu_${played}_${index}`,
      name: tool ?? 'Bash',
      input: tool === undefined ? useBash(call) : {},
    })),
  ];
  const message = {
    id: `msg_${played}`,
    type: 'message',
    role: 'assistant',
    model: body.model ?? 'scripted',
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
  };
  const stopReason = tools.length > 0 ? 'tool_use' : 'end_turn';
  if (body.stream === true) stream(response, message, content, stopReason);
  else sendJson(response, { ...message, content, stop_reason: stopReason });
}

function useBash({ command, description, background }: ToolCall): object {
  return { command, description, ...(background === true && { run_in_background: true }) };
}

/** Server-sent events, in the order of the Messages API; each block comes in one delta. */
function stream(response: http.ServerResponse, message: object, content: readonly object[], stopReason: string): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (type: string, fields: object) =>
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  send('message_start', { message: { ...message, content: [], stop_reason: null } });
  content.forEach((block, index) => {
    const { empty, delta } = split(block as { type: string; text: string; input: object });
    send('content_block_start', { index, content_block: empty });
    send('content_block_delta', { index, delta });
    send('content_block_stop', { index });
  });
  send('message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: 1 } });
  send('message_stop', {});
  response.end();
}

function split(block: { type: string; text: string; input: object }): { empty: object; delta: object } {
  if (block.type === 'text') return { empty: { ...block, text: '' }, delta: { type: 'text_delta', text: block.text } };
  const json = JSON.stringify(block.input);
  return { empty: { ...block, input: {} }, delta: { type: 'input_json_delta', partial_json: json } };
}

function sendJson(response: http.ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
