import type { AgentProfile } from './profile.ts';

/**
 * Gemini CLI. A node script that starts itself again as a child, unless GEMINI_CLI_NO_RELAUNCH is set. No marks: measured
 * (0.61.0), GEMINI_CLI=1 is in the environment of its MCP servers as well as of its tool calls.
 */
export const gemini: AgentProfile = {
  id: 'gemini',
  title: 'Gemini CLI',
  commands: ['gemini'],
  packages: ['@google/gemini-cli'],
  directories: [],
  aliases: [],
  toolSessions: true,
  relaunches: true,
  daemons: [],
};
