import { describe, expect, it } from 'vitest';
import { isLauncher } from '../../src/agents/launchers.ts';
import { findProfile, profiles } from '../../src/agents/profiles.ts';
import { recogniseAgent, recogniseDaemon } from '../../src/agents/recognise.ts';

interface Given {
  readonly exe?: string;
  readonly argv?: readonly string[];
  readonly comm?: string;
}

const NODE = '/usr/bin/node';

const agents: readonly [string, Given, string | undefined][] = [
  [
    'claude by the binary of its npm package',
    { exe: '/x/claude-code/bin/claude.exe', argv: ['claude', '-p', 'x'] },
    'claude',
  ],
  [
    'claude by the directory of its own installer',
    { exe: '/home/me/.local/share/claude/versions/2.1.332', argv: ['claude'] },
    'claude',
  ],
  ['claude by its script', { exe: NODE, argv: ['node', '/x/node_modules/@anthropic-ai/claude-code/cli.js'] }, 'claude'],
  ['claude after an update replaced it', { exe: '/x/claude (deleted)', argv: ['claude'] }, 'claude'],
  [
    'codex by its native binary',
    { exe: '/x/vendor/x86_64-unknown-linux-musl/codex/codex', argv: ['codex', 'exec'] },
    'codex',
  ],
  ['codex by its node launcher', { exe: NODE, argv: ['node', '/x/node_modules/.bin/codex', 'exec'] }, 'codex'],
  [
    'gemini by its package, whatever comm says',
    {
      exe: NODE,
      argv: ['node', '--max-old-space-size=4096', '/x/node_modules/@google/gemini-cli/bundle/gemini.js', '-p', 'x'],
      comm: 'MainThread',
    },
    'gemini',
  ],
  ['gemini by its link in a bin directory', { exe: NODE, argv: ['node', '/opt/homebrew/bin/gemini'] }, 'gemini'],
  [
    'gemini by a package that deno runs',
    { exe: '/usr/bin/deno', argv: ['deno', 'run', '-A', 'npm:@google/gemini-cli'] },
    'gemini',
  ],
  [
    'qwen on Windows',
    { exe: 'C:\\node\\node.exe', argv: ['node', 'C:\\x\\node_modules\\@qwen-code\\qwen-code\\cli.js'] },
    'qwen',
  ],
  ['opencode by its binary', { exe: '/x/opencode-ai/bin/opencode.exe', argv: ['opencode', 'run'] }, 'opencode'],
  [
    'kimi as a Python script',
    { exe: '/usr/bin/python3.13', argv: ['/x/bin/python', '/home/me/.local/bin/kimi', '--print'] },
    'kimi',
  ],
  ['agy by its binary', { exe: '/home/me/.local/bin/agy', argv: ['agy'] }, 'agy'],
  ['an agent by argv[0] where the executable is unreadable', { argv: ['/usr/local/bin/codex', 'exec'] }, 'codex'],
  ['nothing by comm', { exe: '/usr/bin/sleep', argv: ['sleep', '9'], comm: 'claude' }, undefined],
  ['nothing by comm alone', { comm: 'claude' }, undefined],
  ['nothing in an argument', { exe: '/usr/bin/vim', argv: ['vim', 'claude'] }, undefined],
  ['nothing in a shell that names an agent', { exe: '/usr/bin/bash', argv: ['bash', '-c', 'claude -p x'] }, undefined],
  ['nothing in a shell script of that name', { exe: '/bin/sh', argv: ['/bin/sh', '/usr/local/bin/claude'] }, undefined],
  [
    'nothing in a script file that only shares the name',
    { exe: NODE, argv: ['node', '/home/me/gemini.js'] },
    undefined,
  ],
  [
    'nothing in a package beside it',
    { exe: NODE, argv: ['node', '/x/node_modules/@openai/codex-sdk/index.js'] },
    undefined,
  ],
  ['nothing in inline code', { exe: NODE, argv: ['node', '-e', 'x', '/usr/bin/gemini'] }, undefined],
  [
    'the script behind an option with a value',
    { exe: NODE, argv: ['node', '--import', 'gemini', '/x/node_modules/@qwen-code/qwen-code/cli.js'] },
    'qwen',
  ],
  ['nothing in npx that will run an agent', { exe: NODE, argv: ['node', '/usr/bin/npx', '@openai/codex'] }, undefined],
  ['nothing in npx that wrote its title', { argv: ['npm exec @openai/codex'] }, undefined],
  ['nothing in bunx', { exe: '/usr/bin/bun', argv: ['bun', 'x', '@openai/codex'] }, undefined],
  ['nothing in the search tool inside claude', { exe: '/x/claude.exe', argv: ['rg', '--files'] }, undefined],
  ['nothing in the sandbox inside codex', { exe: '/x/codex', argv: ['codex-linux-sandbox', '--', 'bash'] }, undefined],
  ['nothing without anything', {}, undefined],
];

describe('recogniseAgent', () => {
  it.each(agents)('sees %s', (_title, given, id) => {
    expect(recogniseAgent(toProcess(given))?.id).toBe(id);
  });
});

describe('recogniseDaemon', () => {
  it.each<[string, Given, string | undefined]>([
    [
      'the daemon',
      { exe: '/x/claude.exe', argv: ['/x/claude.exe', 'daemon', 'run', '--origin', 'transient'] },
      'Claude daemon',
    ],
    [
      'the terminal host',
      { exe: '/x/claude.exe', argv: ['claude bg-pty-host', '--bg-pty-host', '/tmp/s'] },
      'Claude background terminal',
    ],
    ['no daemon in a moved session', { exe: '/x/claude.exe', argv: ['/x/claude.exe', '--session-id', 'x'] }, undefined],
    ['no daemon in a prompt', { exe: '/x/claude.exe', argv: ['claude', '-p', 'daemon', 'run'] }, undefined],
    ['no daemon in another program', { exe: '/usr/bin/foo', argv: ['foo', 'daemon', 'run'] }, undefined],
  ])('sees %s', (_title, given, title) => {
    expect(recogniseDaemon(toProcess(given))?.title).toBe(title);
  });
});

describe('isLauncher', () => {
  it.each<[string, Given, boolean]>([
    ['npx as a script', { exe: NODE, argv: ['node', '/usr/bin/npx', '-y', 'x'] }, true],
    ['npx by its file', { exe: NODE, argv: ['node', '/usr/lib/node_modules/npm/bin/npx-cli.js', 'x'] }, true],
    ['npm by its title', { exe: NODE, argv: ['npm exec @openai/codex'] }, true],
    ['pnpm dlx', { exe: NODE, argv: ['node', '/usr/bin/pnpm.cjs', 'dlx', 'x'] }, true],
    ['bunx', { exe: '/usr/bin/bun', argv: ['bunx', 'x'] }, true],
    ['timeout', { exe: '/usr/bin/timeout', argv: ['timeout', '60', 'x'] }, true],
    ['a mise shim', { exe: '/usr/bin/mise', argv: ['claude'] }, true],
    ['a shell', { exe: '/usr/bin/dash', argv: ['sh', 'wrapper.sh'] }, true],
    ['a nested agentmux-run', { exe: NODE, argv: ['node', '/usr/bin/agentmux-run', 'claude'] }, true],
    ['agentmux run', { exe: NODE, argv: ['node', '/usr/bin/agentmux', 'run', 'claude'] }, true],
    ['agentmux ps', { exe: NODE, argv: ['node', '/usr/bin/agentmux', 'ps'] }, false],
    ['a program of node', { exe: NODE, argv: ['node', 'server.js'] }, false],
    ['a program that bun runs', { exe: '/usr/bin/bun', argv: ['bun', 'run', 'server.ts'] }, false],
    ['an agent', { exe: '/x/claude.exe', argv: ['claude'] }, false],
  ])('of %s', (_title, given, expected) => {
    expect(isLauncher(toProcess(given))).toBe(expected);
  });
});

describe('profiles', () => {
  it('have ids, commands and packages of their own', () => {
    for (const list of [
      profiles.map(({ id }) => id),
      profiles.flatMap(({ commands }) => commands),
      profiles.flatMap(({ packages }) => packages),
    ]) {
      expect(new Set(list).size).toBe(list.length);
    }
  });

  it('are found by their id', () => {
    expect(findProfile('codex')?.title).toBe('Codex CLI');
    expect(findProfile(undefined)).toBeUndefined();
  });
});

function toProcess({ exe, argv, comm }: Given) {
  return { exe, argv, comm };
}
