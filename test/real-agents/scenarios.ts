import { daemonCommand } from '../helpers/fake-agent.ts';
import type { ToolCall, Turn } from './model-server.ts';

/** A marker of one process, usable as a number of seconds too. */
export function takeMarker(): string {
  lengths += 1;
  return String(lengths);
}

/** What the model asks for, and what becomes of it. */
export interface Scenario {
  readonly turns: readonly Turn[];
  /** Markers in the arguments of the processes that outlive their tool call. */
  readonly survivors: readonly string[];
  /** What their calls are for, by the markers of those that an agent can tell of. */
  readonly descriptions: Readonly<Record<string, string>>;
}

/** In the arguments of the foreground command, and of the dev server. */
export const [foreground, devServer] = ['tail -f /dev/null', 'createServer'];

/** A number that no other process has in its arguments: the marker of one process of one test. */
let lengths = 700_000_000 + process.pid * 100;

/**
 * What escapes an agent: nohup, setsid, a double fork with an empty environment, `cmd &`; then a foreground command of
 * `seconds`. Claude refuses a call that begins with a long sleep, hence tail.
 */
export function leakScenario(seconds: number): Scenario {
  const [nohup, setsid, daemon, plain] = [++lengths, ++lengths, ++lengths, ++lengths];
  const tools: ToolCall[] = [
    { command: `nohup sleep ${nohup} >/dev/null 2>&1 &`, description: 'nohup' },
    { command: `setsid sleep ${setsid} >/dev/null 2>&1 &`, description: 'setsid' },
    { command: daemonCommand(`sleep ${daemon}`), description: 'double fork' },
    { command: `tail -s ${plain} -f /dev/null >/dev/null 2>&1 & echo started`, description: 'background job' },
  ];
  return {
    turns: [
      ...tools.map((tool) => ({ text: tool.description, tools: [tool] })),
      foregroundTurn(seconds),
      { text: 'all started' },
    ],
    survivors: [nohup, setsid, daemon, plain].map(String),
    // Nothing ties a double fork with an empty environment to its call.
    descriptions: { [nohup]: 'nohup', [setsid]: 'setsid', [plain]: 'background job', [foreground]: 'foreground' },
  };
}

/** The same in one turn, after a dev server as a background task. */
export function comboScenario(seconds: number): Scenario {
  const leak = leakScenario(seconds);
  return {
    turns: [
      serverTurn,
      { text: 'escapes', tools: leak.turns.flatMap(({ tools = [] }) => tools).slice(0, 4) },
      foregroundTurn(seconds),
      { text: 'all started' },
    ],
    survivors: leak.survivors,
    descriptions: { ...leak.descriptions, [devServer]: 'Dev server' },
  };
}

/** A dev server as a background task, and a call that goes on after it. */
export function backgroundScenario(seconds: number): Scenario {
  return {
    turns: [serverTurn, foregroundTurn(seconds), { text: 'the server is up' }],
    survivors: [],
    descriptions: { [devServer]: 'Dev server', [foreground]: 'foreground' },
  };
}

/** Calls that fire every hook: one that is done, one in the background, one of an MCP server, one that fails. */
export function hooksScenario(seconds: number): Scenario {
  const marker = takeMarker();
  const tools: ToolCall[] = [
    { command: 'env >/dev/null', description: 'show environment' },
    { command: `echo; tail -s ${marker} -f /dev/null`, description: 'background job', background: true },
    { command: '', description: '', tool: 'mcp__direct__ping' },
    { command: 'exit 3', description: 'failing command' },
  ];
  return {
    turns: [
      ...tools.map((tool) => ({ text: tool.description, tools: [tool] })),
      foregroundTurn(seconds),
      { text: 'all hooks seen' },
    ],
    survivors: [marker],
    descriptions: { [marker]: 'background job', [foreground]: 'foreground' },
  };
}

const serverTurn: Turn = {
  text: 'dev server',
  tools: [
    {
      command: "node -e \"require('http').createServer().listen(0,'127.0.0.1')\"",
      description: 'Dev server',
      background: true,
    },
  ],
};

function foregroundTurn(seconds: number): Turn {
  return {
    text: 'foreground',
    tools: [{ command: `timeout ${seconds} ${foreground}; true`, description: 'foreground' }],
  };
}
