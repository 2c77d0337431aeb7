#!/usr/bin/env node
// An agent without a model. What it leaves in the process table is what real agent CLIs leave there: an MCP server over
// pipes in its own session, every tool call a bash in a session of its own, and tools that do not end with their call.
// It ends on TERM or INT, and with --once by itself.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Tool calls, as a model might ask for them. Each returns at once; what it started stays. */
const toolCalls = [
  'node dev-server.mjs &',
  'nohup sleep 601 >/dev/null 2>&1 &',
  'setsid sleep 602 >/dev/null 2>&1 &',
  // A double fork into a session of its own, with an empty environment: no walk and no mark finds it later.
  "(setsid env -i /bin/sh -c 'sleep 603 & exit 0' >/dev/null 2>&1 </dev/null &)",
];

const mcpServer = spawn('node', ['mcp-server.mjs'], { stdio: ['pipe', 'pipe', 'inherit'] });
await once(mcpServer.stdout, 'data');

for (const command of toolCalls) {
  const shell = spawn('bash', ['-c', command], { detached: true, stdio: 'ignore' });
  await once(shell, 'exit');
}
process.stdout.write(`sample-agent: ${toolCalls.length} tool calls done\n`);

if (process.argv.includes('--once')) {
  mcpServer.stdin.end();
} else {
  // A tool call that is still running: the agent waits for it, as for `npm test`.
  const foreground = spawn('bash', ['-c', 'sleep 604; true'], { detached: true, stdio: 'ignore' });
  for (const signal of ['SIGTERM', 'SIGINT']) {
    process.once(signal, () => {
      mcpServer.stdin.end();
      if (foreground.exitCode === null && foreground.signalCode === null) process.kill(-foreground.pid, 'SIGKILL');
      process.exitCode = 143;
    });
  }
}
