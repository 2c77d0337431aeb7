import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { installAgent } from './installed.ts';
import type { McpServer } from './plumbing.ts';

/** How one of the other agents is started against a scripted model. */
export interface OtherAgent {
  readonly id: string;
  /** Which of the survivors of the leak scenario it lets live, measured: nohup, setsid, double fork, `cmd &`. */
  readonly leaves: readonly number[];
  /** True if its tool calls tell their ids. */
  readonly callIds: boolean;
  /** Path of its program; installs it where it is not there yet, undefined if that cannot be. */
  install(): string | undefined;
  /** Writes its configuration below that home and tells its arguments and environment. */
  configure(
    home: string,
    baseUrl: string,
    servers: Readonly<Record<string, McpServer>>,
  ): { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> };
}

const codex: OtherAgent = {
  id: 'codex',
  // It ends the process group of each command with it.
  leaves: [1, 2],
  callIds: true,
  install: () => installAgent('codex', '@openai/codex', '0.171.0', '.bin/codex'),
  configure(home, baseUrl, servers) {
    const tables = Object.entries(servers).map(
      ([name, { command, args }]) =>
        `[mcp_servers.${name}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`,
    );
    const provider = `name = "s"\nbase_url = "${baseUrl}/v1"\nenv_key = "SCRIPTED_KEY"\nwire_api = "responses"\n`;
    const text = `model = "s"\nmodel_provider = "s"\n[model_providers.s]\n${provider}${tables.join('')}`;
    write(join(home, '.codex/config.toml'), text);
    const flags = ['exec', '--json', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', 'do it'];
    return { args: flags, env: { SCRIPTED_KEY: 'scripted' } };
  },
};

const gemini: OtherAgent = {
  id: 'gemini',
  leaves: [0, 1, 2, 3],
  callIds: false,
  install: () => installAgent('gemini', '@google/gemini-cli', '0.61.0', '.bin/gemini'),
  configure(home, baseUrl, servers) {
    const auth = { security: { auth: { selectedType: 'gemini-api-key' } } };
    write(join(home, '.gemini/settings.json'), JSON.stringify({ ...auth, mcpServers: servers }));
    return {
      args: ['-p', 'do it', '--yolo', '--output-format', 'stream-json'],
      env: { GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: baseUrl, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    };
  },
};

const opencode: OtherAgent = {
  id: 'opencode',
  leaves: [0, 1, 2, 3],
  callIds: false,
  install: () => installAgent('opencode', 'opencode-ai', '1.18.33', '.bin/opencode'),
  configure(home, baseUrl, servers) {
    const options = { baseURL: `${baseUrl}/v1`, apiKey: 'scripted' };
    const provider = { s: { npm: '@ai-sdk/openai-compatible', name: 's', options, models: { s: { name: 's' } } } };
    const mcp = Object.fromEntries(
      Object.entries(servers).map(([name, { command, args }]) => {
        return [name, { type: 'local', command: [command, ...args], enabled: true }];
      }),
    );
    write(join(home, '.config/opencode/opencode.json'), JSON.stringify({ model: 's/s', provider, mcp }));
    return {
      args: ['run', '--format', 'json', 'do it'],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' },
    };
  },
};

const qwen: OtherAgent = {
  id: 'qwen',
  leaves: [],
  callIds: false,
  install: () => installAgent('qwen', '@qwen-code/qwen-code', '0.15.10', '.bin/qwen'),
  configure(home, baseUrl, servers) {
    const auth = { security: { auth: { selectedType: 'openai' } } };
    write(join(home, '.qwen/settings.json'), JSON.stringify({ ...auth, mcpServers: servers }));
    return {
      args: ['-p', 'do it', '--yolo', '--output-format', 'stream-json'],
      env: { OPENAI_API_KEY: 'scripted', OPENAI_BASE_URL: `${baseUrl}/v1`, OPENAI_MODEL: 's' },
    };
  },
};

/** The agents beside claude that run offline. */
export const otherAgents: readonly OtherAgent[] = [codex, gemini, opencode, qwen];

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
