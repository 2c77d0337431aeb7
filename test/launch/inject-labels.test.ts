import { describe, expect, it } from 'vitest';
import { injectLabels, keepBytes, type LabelsInput } from '../../src/launch/inject-labels.ts';

const bashwrapPath = '/opt/amx/bin/agentmux-bashwrap';
const ours = { matcher: 'Bash', hooks: [{ type: 'command', command: bashwrapPath, args: ['--hook'], timeout: 5 }] };
const settings = JSON.stringify({ hooks: { PreToolUse: [ours] } });

function inject(argv: readonly string[], more: Partial<LabelsInput> = {}) {
  const input = { profileId: 'claude', env: {}, callsDirectory: '/s/calls/b', bashwrapPath, readFile: () => undefined };
  return injectLabels({ ...input, argv, ...more });
}

/** The settings that claude gets, in words before and behind. */
function parse(argv: readonly string[]): unknown {
  return JSON.parse(argv[argv.indexOf('--settings') + 1] ?? '');
}

describe('where the system offers no labels', () => {
  it('adds nothing, and says so of an agent that would have had them', () => {
    const obstacle = 'no shell of ours';
    const before = ['claude', '-p', 'x'];
    const note = { argv: before, env: {}, notes: ['no labels: no shell of ours'], settingsFile: undefined };
    expect(inject(before, { obstacle })).toEqual(note);
    expect(inject(['vim'], { obstacle, profileId: undefined })).toMatchObject({ env: {}, notes: [] });
  });
});

describe('injectLabels', () => {
  it('gives claude one --settings with the hook, and the prefix', () => {
    expect(inject(['claude', '-p', 'do it'])).toEqual({
      argv: ['claude', '--settings', settings, '-p', 'do it'],
      env: { AGENTMUX_CALLS: '/s/calls/b', CLAUDE_CODE_SHELL_PREFIX: bashwrapPath },
      notes: ['--settings with a PreToolUse hook for Bash, CLAUDE_CODE_SHELL_PREFIX'],
      settingsFile: undefined,
    });
  });

  it.each([
    [['/usr/bin/claude', '-p', 'x'], 1],
    [['claude.exe'], 1],
    [['npx', '@anthropic-ai/claude-code@latest', '-p', 'x'], 2],
    [['npx', '-y', '@anthropic-ai/claude-code', '-p', 'x'], 3],
    [['env', 'A=1', 'claude', '-p', 'x'], 3],
    [['timeout', '60', 'claude', 'x'], 3],
    [['mise', 'exec', '--', 'claude', 'x'], 4],
    [['npm', 'exec', '--', '@anthropic-ai/claude-code', 'x'], 4],
    [['node', '/x/node_modules/@anthropic-ai/claude-code/cli.js', '-p', 'x'], 2],
  ])('finds where the words of claude begin: %j', (argv, at) => {
    expect(inject(argv).argv).toEqual([...argv.slice(0, at), '--settings', settings, ...argv.slice(at)]);
  });

  it.each([
    ['npx takes the package by an option', ['npx', '-p', '@anthropic-ai/claude-code', 'claude', '-p', 'x']],
    ['npm takes options itself', ['npm', 'exec', '@anthropic-ai/claude-code', '-p', 'x']],
    ['a launcher has its own words', ['mise', 'exec', 'claude']],
    ['a shell runs it', ['sh', '-c', 'claude -p x']],
    ['a subcommand', ['claude', 'mcp', 'list']],
    ['a subcommand behind options', ['claude', '--debug', '--model', 'opus', 'doctor']],
    ['a subcommand behind --', ['claude', '--', 'update']],
    ['minimal mode', ['claude', '--bare', '-p', 'x']],
    ['safe mode', ['claude', '--safe-mode']],
    ['restricted mode', ['claude', '--restricted', '-p', 'x']],
    ['a background session', ['claude', '--bg', 'x']],
    ['a cloud session', ['claude', '--cloud=x']],
    ['help', ['claude', '--help']],
    ['the version', ['claude', '-v']],
  ])('leaves the command as it is: %s', (_, argv) => {
    const { env, ...rest } = inject(argv);
    expect(rest).toMatchObject({ argv, settingsFile: undefined });
    expect(env).toEqual({ AGENTMUX_CALLS: '/s/calls/b' });
    expect(rest.notes[0]).toMatch(/^no labels: /);
  });

  it.each([
    ['a prompt that is the word of a subcommand after another', ['claude', 'please', 'mcp']],
    ['the value of an option', ['claude', '-p', '--model', 'mcp', 'hi']],
    ['a value of a list', ['claude', '--allowedTools', 'Bash', 'mcp', '--', 'hi']],
    ['an optional value', ['claude', '--resume', 'update']],
    ['a name', ['claude', '-n', 'doctor', 'hi']],
    ['stdin', ['claude', '-p', '-']],
  ])('is not misled by %s', (_, argv) => {
    expect(inject(argv).argv).toHaveLength(argv.length + 2);
  });

  it.each([
    ['CLAUDE_CODE_SIMPLE', '1', false],
    ['CLAUDE_CODE_SAFE_MODE', 'true', false],
    ['CLAUDE_CODE_SIMPLE', '0', true],
    ['CLAUDE_CODE_SIMPLE', '', true],
  ])('heeds %s=%s', (name, value, expected) => {
    expect('CLAUDE_CODE_SHELL_PREFIX' in inject(['claude'], { env: { [name]: value } }).env).toBe(expected);
  });

  it.each([
    [
      'two words',
      ['--settings', '{"model":"x","hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[]}],"Stop":[]}}', '-p', 'x'],
    ],
    [
      'one word',
      ['-p', 'x', '--settings={"model":"x","hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[]}],"Stop":[]}}'],
    ],
  ])("merges the user's JSON into one flag: %s", (_, words) => {
    const { argv } = inject(['claude', ...words]);
    expect(argv).toHaveLength(words.length + 1);
    const value = argv.find((word) => word.includes('{'))?.replace('--settings=', '') ?? '';
    expect(JSON.parse(value)).toEqual({
      model: 'x',
      hooks: { PreToolUse: [{ matcher: 'Edit', hooks: [] }, ours], Stop: [] },
    });
  });

  it('merges the last of two flags, the one that claude takes', () => {
    const { argv } = inject(['claude', '--settings', '{"a":1}', '--settings', '{"b":2}']);
    expect(argv.slice(0, 3)).toEqual(['claude', '--settings', '{"a":1}']);
    expect(JSON.parse(argv[4] ?? '')).toEqual({ b: 2, hooks: { PreToolUse: [ours] } });
  });

  it("keeps the text of the user's file off the command line", () => {
    const readFile = (path: string) => (path === 'my.json' ? '{"env":{"KEY":"secret"}}' : undefined);
    const { argv, settingsFile } = inject(['claude', '--settings', 'my.json', '-p'], { readFile });
    expect(argv).toEqual(['claude', '--settings', '/s/calls/b/settings.json', '-p']);
    expect(settingsFile?.path).toBe('/s/calls/b/settings.json');
    expect(JSON.parse(settingsFile?.text ?? '')).toEqual({ env: { KEY: 'secret' }, hooks: { PreToolUse: [ours] } });
    expect(inject(['claude', '--settings=my.json'], { readFile }).argv[1]).toBe('--settings=/s/calls/b/settings.json');
  });

  it.each([
    ['a file that cannot be read', 'none.json', undefined],
    ['a file that is no JSON', 'a.json', '// comment\n{}'],
    ['a file that is no object', 'a.json', '[]'],
    ['hooks that are none', 'a.json', '{"hooks":[]}'],
    ['PreToolUse that is none', 'a.json', '{"hooks":{"PreToolUse":{}}}'],
    ['JSON that is none', '{"a":}', undefined],
    ['rules relative to the file', 'a.json', '{"permissions":{"deny":["Read(/secret/**)"]}}'],
    ['a sandbox', 'a.json', '{"sandbox":{"enabled":true}}'],
  ])("leaves the user's settings alone, and keeps the prefix: %s", (_, value, text) => {
    const argv = ['claude', '--settings', value, '-p', 'x'];
    const labels = inject(argv, { readFile: () => text });
    expect(labels).toMatchObject({ argv, settingsFile: undefined, env: { CLAUDE_CODE_SHELL_PREFIX: bashwrapPath } });
    expect(labels.notes).toHaveLength(2);
  });

  it('merges rules that mean the same everywhere', () => {
    const readFile = () => '{"permissions":{"allow":["Read(//etc/**)","Bash(ls /tmp)"]}}';
    expect(inject(['claude', '--settings', 'a.json'], { readFile }).settingsFile).toBeDefined();
  });

  it.each([
    ["the user's", { CLAUDE_CODE_SHELL_PREFIX: '/my/pre -x' }, '/my/pre -x'],
    [
      'one with our name in a directory',
      { CLAUDE_CODE_SHELL_PREFIX: '/agentmux-bashwrap/pre' },
      '/agentmux-bashwrap/pre',
    ],
    ['ours, of an agent around us', { CLAUDE_CODE_SHELL_PREFIX: '/other/agentmux-bashwrap' }, undefined],
    ['an empty one', { CLAUDE_CODE_SHELL_PREFIX: '' }, undefined],
    ['one of an agent around us that is not set any more', { AGENTMUX_SHELL_PREFIX: '/old' }, ''],
  ])('chains a prefix that is set: %s', (_, env, expected) => {
    expect(inject(['claude'], { env }).env['AGENTMUX_SHELL_PREFIX']).toBe(expected);
  });

  it.each([
    ['is missing', undefined],
    ['has a path that claude would split', '/opt/a -b/agentmux-bashwrap'],
  ])('adds nothing if agentmux-bashwrap %s', (_, path) => {
    expect(inject(['claude'], { bashwrapPath: path })).toMatchObject({
      argv: ['claude'],
      env: { AGENTMUX_CALLS: '/s/calls/b' },
    });
  });

  it('gives other agents the place for reports alone', () => {
    const argv = ['codex', 'exec'];
    expect(inject(argv, { profileId: 'codex' })).toEqual({
      argv,
      env: { AGENTMUX_CALLS: '/s/calls/b' },
      notes: [],
      settingsFile: undefined,
    });
  });

  it('reads what it wrote', () => {
    const { argv } = inject(['claude', '-p', 'x']);
    expect(parse(inject(argv).argv)).toEqual({ hooks: { PreToolUse: [ours, ours] } });
  });
});

describe('keepBytes', () => {
  const bytes = [Buffer.from('claude'), Buffer.from([0xff]), Buffer.from('x')];
  const before = bytes.map(String);

  it.each<[string, string[], Buffer[]]>([
    ['nothing changed', before, bytes],
    [
      'words were put in',
      ['claude', '--s', 'j', ...before.slice(1)],
      [Buffer.from('claude'), Buffer.from('--s'), Buffer.from('j'), ...bytes.slice(1)],
    ],
    ['a word was replaced', [before[0] ?? '', before[1] ?? '', 'y'], [...bytes.slice(0, 2), Buffer.from('y')]],
    ['a word was put behind', [...before, 'y'], [...bytes, Buffer.from('y')]],
  ])('keeps what is no UTF-8: %s', (_, words, expected) => {
    expect(keepBytes(words, before, bytes)).toEqual(expected);
  });
});
