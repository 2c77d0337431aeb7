import { resolve } from 'node:path';
import { takeMarker } from './scenarios.ts';

/** An MCP server as agents are configured with it. */
export interface McpServer {
  readonly command: string;
  readonly args: readonly string[];
}

/** MCP servers started in the ways in which people start them, and the markers of all their processes. */
export interface Plumbing {
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly markers: readonly string[];
}

/** Directly, by a shell, by a runner that starts a shell (as npx does), and one with a helper in a session of its own. */
export function createPlumbing(): Plumbing {
  const server = resolve('test/fixtures/mcp-server.mjs');
  const [direct, shell, runner, browser] = [takeMarker(), takeMarker(), takeMarker(), takeMarker()];
  const chain = `require('child_process').spawn('sh',['-c','node ${server} ${runner}; true'],{stdio:'inherit'})`;
  return {
    servers: {
      direct: { command: 'node', args: [server, direct] },
      shell: { command: 'sh', args: ['-c', `node ${server} ${shell}; true`] },
      runner: { command: 'node', args: ['-e', chain] },
      browser: { command: 'node', args: [resolve('test/fixtures/mcp-with-browser.mjs'), browser] },
    },
    markers: [direct, shell, runner, browser],
  };
}
