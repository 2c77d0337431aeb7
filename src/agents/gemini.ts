import type { AgentProfile } from './profile.ts';

/** Gemini CLI. A node script that starts itself again as a child, unless GEMINI_CLI_NO_RELAUNCH is set. */
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
