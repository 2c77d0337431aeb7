import type http from 'node:http';
import type { ToolCall, Turn } from './model-server.ts';

/** A request of a model protocol, reduced to what a script needs. */
interface Asked {
  /** Turns that the model has had. */
  readonly played: number;
  /** Names of the tools that it may use. */
  readonly tools: readonly string[];
  /** Form that the answer must have, where the agent demands one. */
  readonly form: Form | undefined;
}

interface Form {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Form>>;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
}

interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly input: object }[];
}

interface Protocol {
  readonly path: RegExp;
  readonly read: (body: Body) => Asked;
  readonly write: (response: http.ServerResponse, body: Body, answer: Answer) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: three foreign protocols, of each of which a few fields matter
type Body = Record<string, any>;

/** Answers a request of another protocol than Anthropic's; false if it is none that is known. */
export function answerOther(
  response: http.ServerResponse,
  url: string,
  body: object,
  script: readonly Turn[],
): boolean {
  const protocol = PROTOCOLS.find(({ path }) => path.test(url.split('?')[0] ?? ''));
  if (protocol === undefined) return false;
  const asked = protocol.read(body);
  protocol.write(response, { ...body, stream: /stream/i.test(url) || (body as Body)['stream'] }, play(asked, script));
  return true;
}

function play({ played, tools, form }: Asked, script: readonly Turn[]): Answer {
  if (tools.length === 0) return { text: form === undefined ? 'ok' : JSON.stringify(sample(form)), calls: [] };
  const { text, tools: wanted = [] } = script[played] ?? { text: 'done' };
  return { text, calls: wanted.map((call, index) => ({ id: `call_${played}_${index}`, ...useShell(tools, call) })) };
}

/** The shell under the name and with the arguments of the agent that asks. */
function useShell(tools: readonly string[], { command, description }: ToolCall): { name: string; input: object } {
  if (tools.includes('exec_command')) return { name: 'exec_command', input: { cmd: command } };
  if (tools.includes('run_shell_command')) {
    return { name: 'run_shell_command', input: { command, description, is_background: false } };
  }
  return { name: 'bash', input: { command, description } };
}

function sample(form: Form): unknown {
  if (form.enum !== undefined) return form.enum[0];
  if (form.properties !== undefined) {
    return Object.fromEntries(Object.entries(form.properties).map(([name, value]) => [name, sample(value)]));
  }
  const type = form.type?.toLowerCase();
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  return type === 'number' || type === 'integer' ? (form.minimum ?? 1) : 'ok';
}

/** Adjacent items of the model are one turn. */
function countTurns(items: readonly Body[], isModel: (item: Body) => boolean): number {
  return items.filter((item, index) => isModel(item) && !(index > 0 && isModel(items[index - 1] ?? {}))).length;
}

const responses: Protocol = {
  path: /\/responses$/,
  read: (body) => ({
    played: countTurns(
      body['input'] ?? [],
      ({ type, role }) => /_call$|^reasoning$/.test(type) || role === 'assistant',
    ),
    tools: (body['tools'] ?? []).map((tool: Body) => tool['name'] ?? tool['type']),
    form: undefined,
  }),
  write(response, body, { text, calls }) {
    const items = [
      {
        type: 'message',
        id: 'msg',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
      ...calls.map(({ id, name, input }) => {
        return {
          type: 'function_call',
          id: `fc_${id}`,
          call_id: id,
          name,
          arguments: JSON.stringify(input),
          status: 'completed',
        };
      }),
    ];
    const base = { id: 'resp', object: 'response', model: body['model'] };
    const usage = {
      input_tokens: 1,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 1,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 2,
    };
    streamEvents(response, [
      { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } },
      ...items.flatMap((item, index) => [
        { type: 'response.output_item.added', output_index: index, item },
        { type: 'response.output_item.done', output_index: index, item },
      ]),
      { type: 'response.completed', response: { ...base, status: 'completed', output: items, usage } },
    ]);
  },
};

const chat: Protocol = {
  path: /\/chat\/completions$/,
  read: (body) => ({
    played: countTurns(body['messages'] ?? [], ({ role }) => role === 'assistant'),
    tools: (body['tools'] ?? []).map((tool: Body) => tool['function']?.name),
    form: undefined,
  }),
  write(response, body, { text, calls }) {
    const tool_calls = calls.map(({ id, name, input }, index) => {
      return { index, id, type: 'function', function: { name, arguments: JSON.stringify(input) } };
    });
    const message = { role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls }) };
    const finish_reason = calls.length > 0 ? 'tool_calls' : 'stop';
    const base = { id: 'chatcmpl', created: 0, model: body['model'] };
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    if (body['stream'] !== true) {
      sendJson(response, {
        ...base,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason }],
        usage,
      });
      return;
    }
    const chunk = { ...base, object: 'chat.completion.chunk' };
    streamEvents(response, [
      { ...chunk, choices: [{ index: 0, delta: message, finish_reason: null }] },
      { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
      { ...chunk, choices: [], usage },
      '[DONE]',
    ]);
  },
};

const gemini: Protocol = {
  path: /:(stream)?generateContent$/i,
  read: (body) => ({
    played: countTurns(body['contents'] ?? [], ({ role }) => role === 'model'),
    tools: (body['tools'] ?? [])
      .flatMap((tool: Body) => tool['functionDeclarations'] ?? [])
      .map((one: Body) => one['name']),
    form: body['generationConfig']?.responseJsonSchema ?? body['generationConfig']?.responseSchema,
  }),
  write(response, body, { text, calls }) {
    const parts = [{ text }, ...calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }))];
    const value = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'scripted',
    };
    if (body['stream'] === true) streamEvents(response, [value]);
    else sendJson(response, value);
  },
};

const PROTOCOLS: readonly Protocol[] = [responses, chat, gemini];

function streamEvents(response: http.ServerResponse, events: readonly (Body | string)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) {
    const isTyped = typeof event !== 'string' && typeof event['type'] === 'string';
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    response.write(`${isTyped ? `event: ${event['type']}\n` : ''}data: ${data}\n\n`);
  }
  response.end();
}

function sendJson(response: http.ServerResponse, value: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
