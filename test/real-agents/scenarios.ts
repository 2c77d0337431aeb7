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
}

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
  };
}

/** The same in one turn, after a dev server as a background task. */
export function comboScenario(seconds: number): Scenario {
  const leak = leakScenario(seconds);
  const server = "node -e \"require('http').createServer().listen(0,'127.0.0.1')\"";
  return {
    turns: [
      { text: 'dev server', tools: [{ command: server, description: 'Dev server', background: true }] },
      { text: 'escapes', tools: leak.turns.flatMap(({ tools = [] }) => tools).slice(0, 4) },
      foregroundTurn(seconds),
      { text: 'all started' },
    ],
    survivors: leak.survivors,
  };
}

function foregroundTurn(seconds: number): Turn {
  return {
    text: 'foreground',
    tools: [{ command: `timeout ${seconds} tail -f /dev/null; true`, description: 'foreground' }],
  };
}
