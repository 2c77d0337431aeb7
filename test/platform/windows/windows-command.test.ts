import { describe, expect, it } from 'vitest';
import type { Program } from '../../../src/platform/starter.ts';
import { buildWindowsCommand } from '../../../src/platform/windows/windows-command.ts';

const program: Program = {
  file: Buffer.from('C:\\n\\node.exe'),
  before: [],
  kind: 'program',
  env: {},
  notes: [],
};
const handover = { argv: [], environment: [Buffer.from('SYSTEMROOT=D:\\Win')], fds: [], openFiles: undefined };
const build = (more: Partial<Program>, ...words: string[]) =>
  buildWindowsCommand({ program: { ...program, ...more }, argv: words.map((word) => Buffer.from(word)), handover });

describe('buildWindowsCommand', () => {
  it('calls a program by the name that was typed', () => {
    expect(build({}, 'node', 'a b')).toEqual({ file: 'C:\\n\\node.exe', line: '"node" "a b"' });
  });

  it('calls what a shim starts by its own path, with the words of the shim first', () => {
    expect(build({ before: ['C:\\x\\cli.js'] }, 'claude', '-p')).toEqual({
      file: 'C:\\n\\node.exe',
      line: '"C:\\n\\node.exe" C:\\x\\cli.js -p',
    });
  });

  it('has a batch file run by the command processor of the system', () => {
    expect(build({ kind: 'batch', file: Buffer.from('C:\\x.cmd') }, 'x', '-p')).toEqual({
      file: 'D:\\Win\\System32\\cmd.exe',
      line: 'cmd.exe /d /e:on /v:off /s /c ""C:\\x.cmd" -p"',
    });
  });

  it('refuses what is longer than the system takes', () => {
    expect(build({}, 'node', 'x'.repeat(32_766 - 7)).line).toHaveLength(32_766);
    const tooLong = expect.objectContaining({ exitCode: 126, code: 'arguments-too-long' });
    expect(() => build({}, 'node', 'x'.repeat(32_766 - 6))).toThrow(tooLong);
    expect(() => build({ kind: 'batch' }, 'x', 'x'.repeat(8200))).toThrow(/8191 characters that cmd.exe takes/);
  });
});
