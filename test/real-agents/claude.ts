import { installAgent } from './installed.ts';

/** The version whose process tree these tests know. */
const version = '2.1.332';

/** Path of a real claude, which has a name of its own on every system; undefined if it cannot be installed. */
export function installClaude(): string | undefined {
  const name = '@anthropic-ai/claude-code';
  return installAgent('claude', name, version, `${name}/bin/claude.exe`);
}

/** Settings that point claude at a scripted model and keep it off the network. */
export function claudeEnvironment(baseUrl: string): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: baseUrl,
    ANTHROPIC_API_KEY: 'scripted',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    // Lets root skip the permission questions.
    IS_SANDBOX: '1',
  };
}
