import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildBatchCommand } from '../../../src/platform/windows/batch-command.ts';

const file = 'C:\\tools\\run.cmd';
const plain = '@echo off\r\nnode "%~dp0run.js" %*\r\n';

/** What cmd.exe makes of a line: variables first, then what is special outside of quotes. */
function readAsCmd(line: string): { readonly text: string; readonly special: string } {
  const env: Readonly<Record<string, string>> = { PATH: 'C:\\Windows', OS: 'Windows_NT' };
  let text = '';
  for (let at = 0; at < line.length; at += 1) {
    const match = /^%([^%:\r\n]+)(:~(-?\d*)(?:,(-?\d*))?)?%/.exec(line.slice(at));
    const value = match?.[1]?.toLowerCase() === 'cd' ? 'C:\\here' : env[match?.[1]?.toUpperCase() ?? ''];
    if (line[at] === '%' && match !== null && value !== undefined) {
      // `:~,` is from the start and of no length.
      text += match[2] === undefined ? value : value.slice(0, Number(match[4] ?? value.length));
      at += match[0].length - 1;
    } else text += line[at];
  }
  let isQuoted = false;
  let special = '';
  for (const unit of text) {
    if (unit === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[&|<>^()]/.test(unit)) special += unit;
  }
  return { text, special };
}

/** The C runtime since 2008: in quotes two quotes are one, and the quotes go on. */
function readAsProgram(line: string): string[] {
  const args: string[] = [];
  let current: string | undefined;
  let isQuoted = false;
  for (let at = 0; at < line.length; at += 1) {
    const unit = line.charAt(at);
    if (!isQuoted && /[ \t]/.test(unit)) {
      if (current !== undefined) args.push(current);
      current = undefined;
      continue;
    }
    current ??= '';
    const slashes = /^\\+/.exec(line.slice(at))?.[0].length ?? 0;
    if (slashes > 0) {
      const isBeforeQuote = line.charAt(at + slashes) === '"';
      current += '\\'.repeat(isBeforeQuote ? Math.floor(slashes / 2) : slashes);
      at += slashes - 1;
      if (isBeforeQuote && slashes % 2 === 1) {
        current += '"';
        at += 1;
      }
    } else if (unit === '"') {
      if (isQuoted && line.charAt(at + 1) === '"') {
        current += '"';
        at += 1;
      } else isQuoted = !isQuoted;
    } else current += unit;
  }
  if (current !== undefined) args.push(current);
  return args;
}

const argument = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => text.replace(/[\0\r\n]/g, '')),
  fc.string({ unit: fc.constantFrom('%', 'P', 'A', 'T', 'H', 'c', 'd', ':', '~', ',', '0', '"', '\\', '&', '^', ' ') }),
  fc.constantFrom('%PATH%', '%OS%', '%cd%', '" & calc & "', '%PATH:~0,1%', 'a"b c"d', '\\"', '!OS!', '%*', '%~dp0'),
);

describe('buildBatchCommand', () => {
  it('names the file and leaves plain words alone', () => {
    const line = buildBatchCommand({ file, text: plain, args: ['-p', 'a b', 'C:\\x\\'] });
    expect(line).toBe('cmd.exe /d /e:on /v:off /s /c ""C:\\tools\\run.cmd" -p "a b" "C:\\x\\\\""');
  });

  it('hands every argument through cmd.exe to the program as it is', () => {
    fc.assert(
      fc.property(fc.array(argument, { maxLength: 5 }), (args) => {
        const line = buildBatchCommand({ file, text: plain, args });
        const start = 'cmd.exe /d /e:on /v:off /s /c "';
        expect(line.startsWith(start)).toBe(true);
        // With /s the first and the last quote are taken away.
        const { text, special } = readAsCmd(line.slice(start.length, -1));
        expect(special).toBe('');
        expect(readAsProgram(text)).toEqual([file, ...args]);
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['a line break', 'a\nb', plain, /line break/],
    ['a return', 'a\rb', plain, /line break/],
    ['"!" where the file expands it', 'a!b', 'SETLOCAL EnableDelayedExpansion\r\nnode %*', /delayed expansion/],
    ['"%" where the file calls another', '%x%', '@call other.cmd %*', /calls another/],
    ['"^" where the file calls another', 'a^b', 'if 1==1 call node %*', /calls another/],
  ])('refuses %s, since it could not be passed on', (_, text, script, why) => {
    const build = () => buildBatchCommand({ file, text: script, args: ['ok', text] });
    expect(build).toThrow(why);
    expect(build).toThrow(/argument 2 cannot be passed to "C:\\tools\\run.cmd"/);
    expect(build).toThrow(expect.objectContaining({ exitCode: 126 }));
  });

  it('passes "!" and "%" where the file does nothing with them', () => {
    expect(buildBatchCommand({ file, text: plain, args: ['a!b', '100%'] })).toContain('"a!b" "100%%cd:~,%"');
    expect(buildBatchCommand({ file, text: '@CALL :find_dp0\r\nnode %*', args: ['%x'] })).toContain('%%cd:~,%x');
  });

  it('refuses a file whose name cmd.exe would expand', () => {
    expect(() => buildBatchCommand({ file: 'C:\\%OS%\\a.cmd', text: plain, args: [] })).toThrow(/more than a name/);
  });
});
