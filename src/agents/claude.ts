import type { AgentProfile } from './profile.ts';

/**
 * Claude Code. Its npm package links the native binary as `claude.exe` on every system; its own installer names the
 * binary by its version below `claude/versions`. Called by other names the binary is a search tool. "Move to background
 * and exit" leaves a daemon of the user's, which hosts the moved session.
 */
export const claude: AgentProfile = {
  id: 'claude',
  title: 'Claude Code',
  commands: ['claude'],
  packages: ['@anthropic-ai/claude-code'],
  directories: ['claude/versions'],
  aliases: ['rg', 'ugrep', 'bfs', 'find', 'grep'],
  toolSessions: true,
  relaunches: true,
  daemons: [
    { words: ['daemon', 'run'], title: 'Claude daemon' },
    { words: ['--bg-pty-host'], title: 'Claude background terminal' },
  ],
};
