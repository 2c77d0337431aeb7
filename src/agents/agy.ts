import type { AgentProfile } from './profile.ts';

/** Antigravity CLI, a native binary. Its sessions are not measured. */
export const agy: AgentProfile = {
  id: 'agy',
  title: 'Antigravity CLI',
  commands: ['agy'],
  packages: [],
  directories: [],
  aliases: [],
  toolSessions: false,
  relaunches: false,
  daemons: [],
};
