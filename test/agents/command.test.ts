import { describe, expect, it } from 'vitest';
import { profileForCommand } from '../../src/agents/command.ts';

describe('profileForCommand', () => {
  it.each<[string, string | undefined]>([
    ['claude -p x', 'claude'],
    ['/usr/local/bin/claude', 'claude'],
    ['C:\\x\\claude.exe', 'claude'],
    ['node /x/node_modules/@google/gemini-cli/bundle/gemini.js', 'gemini'],
    ['/x/.local/share/claude/versions/2.1.332', 'claude'],
    ['C:\\npm\\Claude.CMD -p x', 'claude'],
    ['npx.cmd @openai/codex', 'codex'],
    ['gemini.ps1', 'gemini'],
    ['npx -y @anthropic-ai/claude-code@latest -p x', 'claude'],
    ['npx @openai/codex', 'codex'],
    ['npx --package=@openai/codex codex', 'codex'],
    ['npx -p @openai/codex codex', 'codex'],
    ['npm exec -- qwen', 'qwen'],
    ['pnpm dlx opencode-ai', 'opencode'],
    ['bunx @google/gemini-cli', 'gemini'],
    ['bun x @google/gemini-cli', 'gemini'],
    ['env A=1 B=2 timeout 60 claude', 'claude'],
    ['timeout -k 5 1m codex', 'codex'],
    ['nice -n 5 kimi', 'kimi'],
    ['mise exec node@24 -- gemini', 'gemini'],
    ['sudo -u bob claude', 'claude'],
    ['uv tool run kimi-cli', 'kimi'],
    ['agentmux-run claude', 'claude'],
    ['vim claude', undefined],
    ['timeout 60 vim claude', undefined],
    ['npx cowsay claude', undefined],
    ['sh -c claude', undefined],
    ['node server.js', undefined],
    ['', undefined],
  ])('of "%s" is %s', (command, id) => {
    expect(profileForCommand(command === '' ? [] : command.split(' '))?.id).toBe(id);
  });
});
