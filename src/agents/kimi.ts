import type { AgentProfile } from './profile.ts';

/** Kimi Code CLI, a node script or one native file; the older Kimi CLI is a Python script. Its sessions are not measured. */
export const kimi: AgentProfile = {
  id: 'kimi',
  title: 'Kimi CLI',
  commands: ['kimi', 'kimi-cli'],
  packages: ['@moonshot-ai/kimi-code'],
  directories: [],
  aliases: [],
  toolSessions: false,
  relaunches: true,
  daemons: [],
};
