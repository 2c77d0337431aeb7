import type { AgentProfile } from './profile.ts';

/** Qwen Code. A node script that starts itself again as a child; a signal to the launcher alone leaves that one alive. */
export const qwen: AgentProfile = {
  id: 'qwen',
  title: 'Qwen Code',
  commands: ['qwen'],
  packages: ['@qwen-code/qwen-code'],
  directories: [],
  aliases: [],
  toolSessions: true,
  relaunches: true,
  daemons: [],
  marks: {
    kinds: [{ name: 'QWEN_CODE', value: /^1$/, kind: 'tool' }],
    session: [],
    pid: 'QWEN_CODE_LAUNCHER_PID',
  },
};
