import type { AgentProfile } from './profile.ts';

/**
 * Claude Code. Its npm package links the native binary as `claude.exe` on every system; its own installer names the
 * binary by its version below `claude/versions`. Called by other names the binary is a search tool. "Move to background
 * and exit" leaves a daemon of the user's, which hosts the moved session and keeps a spare one warm.
 *
 * Measured (2.1.332): AI_AGENT ends in `_agent` for tool calls, in `_harness` for MCP servers, hooks and status lines. MCP
 * servers get no CLAUDE_PID, so that in a claude inside a claude they carry that of the outer one; what tells is that
 * CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS, which they alone get, names their own session.
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
    {
      words: ['daemon', 'run'],
      title: 'Claude daemon',
      risk: 'may host sessions of other agents',
      starterOption: '--spawned-by',
    },
    { words: ['--bg-pty-host'], title: 'Claude background terminal', risk: 'may hold a session of another agent' },
    { words: ['--bg-spare'], title: 'Claude spare session', risk: 'waits for a session of any agent of this user' },
  ],
  resumeOption: '--resume',
  marks: {
    kinds: [
      { name: 'AI_AGENT', value: /^claude-code_.*_agent$/, kind: 'tool' },
      { name: 'AI_AGENT', value: /^claude-code_.*_harness$/, kind: 'plumbing' },
    ],
    session: ['CLAUDE_CODE_SESSION_ID'],
    // Claude gives its calls no id; our shell prefix does.
    call: 'AGENTMUX_CALL',
    pid: 'CLAUDE_PID',
    pidInheritedIn: 'CLAUDE_CODE_LAUNCHED_BY_SESSION_IDS',
  },
  output: /\/(?<session>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/tasks\/(?<task>\w+)\.output(?: \(deleted\))?$/,
};
