import type { AgentProfile } from './profile.ts';

/**
 * Codex CLI. Its node script starts the native binary or execs it; by other names the binary is a sandbox or an editor.
 * Measured (0.171.0): its MCP servers get an environment of four variables, none of them a mark or a tag.
 */
export const codex: AgentProfile = {
  id: 'codex',
  title: 'Codex CLI',
  commands: ['codex'],
  packages: ['@openai/codex'],
  directories: [],
  aliases: ['codex-linux-sandbox', 'codex-execve-wrapper', 'apply_patch', 'applypatch'],
  toolSessions: true,
  relaunches: true,
  // A call hands control back after 10 s as a rule, 30 s at most; its command goes on.
  foregroundMs: 40_000,
  daemons: [],
  marks: {
    kinds: [{ name: 'CODEX_TOOL_CALL_ID', value: /./, kind: 'tool' }],
    session: ['CODEX_SESSION_ID', 'CODEX_THREAD_ID'],
    call: 'CODEX_TOOL_CALL_ID',
  },
};
