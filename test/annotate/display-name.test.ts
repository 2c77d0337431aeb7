import { describe, expect, it } from 'vitest';
import { displayName } from '../../src/annotate/display-name.ts';

describe('displayName', () => {
  it.each<[string, string | undefined, readonly string[] | undefined]>([
    ['claude', '/x/claude.exe', ['claude', '-p', 'x']],
    ['Claude daemon', '/x/claude.exe', ['claude', 'daemon', 'run']],
    ['vite', '/usr/bin/node', ['node', '/x/node_modules/.bin/vite', '--port', '3000']],
    ['server', '/usr/bin/node', ['node', 'server.mjs']],
    ['http.server', '/usr/bin/python3.13', ['python3', '-m', 'http.server', '0']],
    ['node', '/usr/bin/node', ['node', '-e', 'x']],
    ['bash', '/usr/bin/bash', ['bash', '-c', 'npm test']],
    ['sleep', undefined, ['sleep', '9']],
    ['comm', undefined, undefined],
  ])('is %s', (name, exe, argv) => {
    expect(displayName({ exe, argv, comm: 'comm' })).toBe(name);
  });

  it('is a question mark of nothing', () => {
    expect(displayName({ exe: undefined, argv: undefined, comm: undefined })).toBe('?');
  });
});
