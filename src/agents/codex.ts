import type { AgentProfile } from './profile.ts';

/** Codex CLI. Its node script starts the native binary or execs it; by other names the binary is a sandbox or an editor. */
export const codex: AgentProfile = {
  id: 'codex',
  title: 'Codex CLI',
  commands: ['codex'],
  packages: ['@openai/codex'],
  directories: [],
  aliases: ['codex-linux-sandbox', 'codex-execve-wrapper', 'apply_patch', 'applypatch'],
  toolSessions: true,
  relaunches: true,
  daemons: [],
};
