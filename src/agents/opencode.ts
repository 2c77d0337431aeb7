import type { AgentProfile } from './profile.ts';

/**
 * opencode. A native binary, which the script of its npm package starts where install scripts did not run. No marks:
 * measured (1.18.33), OPENCODE=1 and OPENCODE_PID are in the environment of all that it starts, MCP servers included.
 */
export const opencode: AgentProfile = {
  id: 'opencode',
  title: 'opencode',
  commands: ['opencode'],
  packages: ['opencode-ai'],
  directories: [],
  aliases: [],
  toolSessions: true,
  relaunches: true,
  daemons: [],
};
