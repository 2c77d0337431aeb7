import type { AgentProfile } from './profile.ts';

/** opencode. A native binary, which the script of its npm package starts where install scripts did not run. */
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
