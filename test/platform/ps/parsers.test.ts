import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { GuessedArgv } from '../../../src/model/process.ts';
import { guessWords, isPlaceholder, parseCommands } from '../../../src/platform/ps/command-line.ts';
import { decodeVis, dialectsFor, type PsDialect } from '../../../src/platform/ps/dialect.ts';
import { cutEnvironment, pickTag, pickVariables, splitEnvironment } from '../../../src/platform/ps/environment.ts';
import { parseFiles } from '../../../src/platform/ps/files.ts';
import { parseListeners } from '../../../src/platform/ps/lsof.ts';
import { parseTable } from '../../../src/platform/ps/parse-table.ts';
import { parseCpuTime, parseStart } from '../../../src/platform/ps/parse-time.ts';
import { parsePlatformUuid, parseSysctlId } from '../../../src/platform/ps/ps-host.ts';
import { findSessions } from '../../../src/platform/ps/sessions.ts';

const [darwin] = dialectsFor('darwin') as [PsDialect];
const [procps] = dialectsFor('linux') as [PsDialect];
const rows = new Map(parseTable(readFixture('ps-table.txt'), darwin).map((row) => [row.pid, row]));
const commands = parseCommands(readFixture('ps-command.txt'));
const environments = parseCommands(readFixture('ps-command-environment.txt'));

describe('the table of macOS', () => {
  it('is read line by line, each with all its numbers', () => {
    expect(rows.size).toBe(15);
    expect(rows.get(48251)).toEqual({
      pid: 48251,
      ppid: 48244,
      pgid: 48244,
      sid: undefined,
      tpgid: 48244,
      uid: 501,
      tty: 'ttys001',
      state: 'R',
      isSessionLeader: false,
      cpuMs: 62_930,
      rssBytes: 310_816 * 1024,
      startSeconds: Date.UTC(2026, 10, 30, 21, 41, 17) / 1000,
      name: 'claude',
    });
  });

  it('keeps names with blanks whole, and gives back what is no ASCII', () => {
    expect(rows.get(601)?.name).toBe('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome');
    expect(rows.get(48330)?.name).toBe('/tmp/a^Jb ä.sh');
  });

  it.each([
    [1, 'S', true, undefined],
    [48244, 'S', false, 'ttys001'],
    [48311, 'Z', false, undefined],
    [48320, 'D', true, undefined],
    [48330, 'T', false, 'ttys001'],
  ])('tells of process %i its state, whether it leads a session, and its terminal', (pid, state, leads, tty) => {
    expect(rows.get(pid)).toMatchObject({ state, isSessionLeader: leads, tty });
  });

  it('tells sessions by their leaders, and of an orphan by its process group', () => {
    const sessions = findSessions([...rows.values()]);
    expect([48200, 48201, 48244, 48251].map((pid) => sessions.get(pid))).toEqual([48200, 48200, 48200, 48200]);
    expect([48300, 48302].map((pid) => sessions.get(pid))).toEqual([48300, 48300]);
    expect(sessions.get(48310)).toBe(48310);
    expect(sessions.get(122)).toBe(122);
  });
});

describe('the commands of macOS', () => {
  it('are words joined by blanks, of which the first is told by the name', () => {
    const text = commands.get(601)?.text ?? '';
    expect([...guessWords(text, rows.get(601)?.name)]).toEqual([
      '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
      '--restore-last-session',
    ]);
  });

  it('keep the script of a shell in one word', () => {
    const words = guessWords('/bin/bash -lc sleep 300; true', '/bin/bash');
    expect(words).toBeInstanceOf(GuessedArgv);
    expect([...words]).toEqual(['/bin/bash', '-lc', 'sleep 300; true']);
    expect([...guessWords('-zsh', '-zsh')]).toEqual(['-zsh']);
    expect([...guessWords('git log -c core.x=1', 'git')]).toEqual(['git', 'log', '-c', 'core.x=1']);
  });

  it('stand for themselves where they cannot be read', () => {
    expect(['(mdworker_shared)', '<defunct>', '[kworker/0:1]', '[sh] <defunct>', ''].every(isPlaceholder)).toBe(true);
    expect(['sh', '(a) b', 'echo <defunct> x'].some(isPlaceholder)).toBe(false);
  });

  it('are followed by the environment where it is shown, and by none where it is hidden', () => {
    const read = (pid: number) => cutEnvironment(commands.get(pid)?.text ?? '', environments.get(pid)?.text ?? '');
    expect([48300, 48325].map(read)).toEqual([undefined, undefined]);
    expect(splitEnvironment(read(48310) ?? '')).toEqual([
      'HOME=/Users/max',
      'NODE_OPTIONS=--max-old-space-size=4096 --enable-source-maps',
      'AGENTMUX_TAG=00112233445566778899aabbccddeeff',
      'CLAUDECODE=1',
    ]);
    expect(pickVariables(read(48251) ?? '', new Set(['PWD', 'AGENTMUX_BLOCKID']))).toEqual(
      new Map([
        ['PWD', '/Users/max/My Project'],
        ['AGENTMUX_BLOCKID', 'claude-k3x9'],
      ]),
    );
  });

  it('carry a tag as a whole word only', () => {
    const tags = new Set(['00112233445566778899aabbccddeeff']);
    expect(pickTag(environments.get(48310)?.text ?? '', tags)).toBe('00112233445566778899aabbccddeeff');
    expect(pickTag('x AGENTMUX_TAG=00112233445566778899aabbccddeeff0', tags)).toBeUndefined();
    expect(pickTag('x OLD_AGENTMUX_TAG=00112233445566778899aabbccddeeff', tags)).toBeUndefined();
  });

  it('are no environment where another program was started between the two calls', () => {
    expect(cutEnvironment('sh -c true', 'node x.js HOME=/')).toBeUndefined();
  });
});

describe('what lsof prints', () => {
  it('gives listening sockets with their protocol and address', () => {
    const listeners = parseListeners(readFixture('lsof-listen.txt'));
    expect(listeners.get(122)).toEqual([
      { protocol: 'tcp', address: '0.0.0.0', port: 49152 },
      { protocol: 'tcp6', address: '::', port: 49152 },
    ]);
    expect(listeners.get(48310)?.map(({ address, port }) => `${address} ${port}`)).toEqual([
      ':: 3000',
      '127.0.0.1 9229',
      '::1 9230',
      'fe80:1::1 9231',
    ]);
  });

  it('tells the protocol without the field of the type too', () => {
    expect(parseListeners('p7\ncnode\nf1\nn*:80\nn[::]:81\nnlocalhost:http\n').get(7)).toEqual([
      { protocol: 'tcp', address: '0.0.0.0', port: 80 },
      { protocol: 'tcp6', address: '::', port: 81 },
    ]);
  });

  it('gives directories and outputs', () => {
    const files = parseFiles(readFixture('lsof-files.txt'));
    expect(files.get(48251)?.get('cwd')).toBe('/Users/max/My Project');
    expect(files.get(48310)?.get('cwd')).toBe('/Users/max/währung');
    expect(files.get(48310)?.get('1')).toBe('/private/tmp/claude-501/tasks/b1a2c3.output');
  });

  it('are unknown where lsof may not look at them', () => {
    const files = parseFiles('p7\nfcwd\nn/proc/7/cwd (readlink: Permission denied)\nf1\nn/tmp/a (b: c)\n');
    expect([...(files.get(7) ?? [])]).toEqual([['1', '/tmp/a (b: c)']]);
  });
});

describe('single values', () => {
  it.each([
    ['Mon Nov 30 21:56:05 2026', Date.UTC(2026, 10, 30, 21, 56, 5) / 1000],
    ['Sun Feb  1 00:00:00 2026', Date.UTC(2026, 1, 1) / 1000],
    ['Mo 30 Nov 21:56:05 2026', undefined],
    ['Mon Xyz 30 21:56:05 2026', undefined],
    ['Mon anF 30 21:56:05 2026', undefined],
    ['', undefined],
  ])('the start "%s"', (text, seconds) => {
    expect(parseStart(text)).toBe(seconds);
  });

  it.each([
    ['0:00.07', 70],
    ['139:17.71', 8_357_710],
    ['00:00:02', 2000],
    ['3-01:02:03', 262_923_000],
    ['-', undefined],
  ])('the processor time "%s"', (text, ms) => {
    expect(parseCpuTime(text)).toBe(ms);
  });

  it('ids of the machine and of the boot', () => {
    expect(parsePlatformUuid('  "IOPlatformUUID" = "8F7D2D86-4F5B-5A9E-9D1B-6C1C0D3E5A77"\n')).toBe(
      '8f7d2d86-4f5b-5a9e-9d1b-6c1c0d3e5a77',
    );
    expect(parsePlatformUuid('nothing')).toBeUndefined();
    expect(parseSysctlId('5C2B2A4E-0E0D-4B53-9A54-6C0B8C7F3A11\n')).toBe('5c2b2a4e-0e0d-4b53-9a54-6c0b8c7f3a11');
    expect(parseSysctlId('00000000-0000-0000-0000-000000000000\n')).toBeUndefined();
  });

  it('bytes above ASCII come back where they are UTF-8', () => {
    expect(decodeVis('wM-CM-$hrung')).toBe('währung');
    expect(decodeVis('M-bM^BM-,')).toBe('€');
    expect(decodeVis('grep M-C x')).toBe('grep M-C x');
  });
});

describe('hostile output', () => {
  const hostile = fc.string({ unit: 'binary', maxLength: 400 });

  it('throws nothing, and gives only sane numbers', () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom(darwin, procps), (text, dialect) => {
        for (const row of parseTable(text, dialect)) {
          expect(Number.isSafeInteger(row.pid) && Number.isSafeInteger(row.startSeconds)).toBe(true);
        }
        parseCommands(text);
        parseListeners(text);
        parseFiles(text);
        parsePlatformUuid(text);
        splitEnvironment(text);
        decodeVis(text);
        guessWords(text, undefined);
      }),
    );
  });

  it('in a name or a command leaves the other lines and its own numbers alone', () => {
    const line = fc.string({ unit: 'binary', maxLength: 80 }).filter((text) => !text.includes('\n'));
    fc.assert(
      fc.property(line, line, (name, command) => {
        const start = 'Mon Nov 30 21:41:17 2026';
        const numbers = '48251 48244 48244 48244   501 ttys001  R+     1:02.93 310816';
        const table = parseTable(`${numbers} ${start}     ${name}\n${readFixture('ps-table.txt')}`, darwin);
        expect(table).toHaveLength(15);
        expect(table[0]).toMatchObject({ pid: 48251, ppid: 48244, cpuMs: 62_930 });
        const texts = parseCommands(`48251 ${start}     ${command}\n${readFixture('ps-command.txt')}`);
        expect(texts.size).toBe(15);
        expect(command.endsWith(texts.get(48251)?.text ?? '?')).toBe(true);
      }),
    );
  });

  it('that ends in the middle of a line loses that line alone', () => {
    const text = readFixture('ps-table.txt');
    for (let end = 0; end < text.length; end += 7) parseTable(text.slice(0, end), darwin);
    expect(parseTable(text.slice(0, text.indexOf('48251 48244') + 20), darwin)).toHaveLength(7);
  });

  it('gives the words of any command back in one text', () => {
    const word = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !/\s/.test(text));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 8 }), (words) => {
        expect(guessWords(words.join(' '), undefined).join(' ')).toBe(words.join(' '));
      }),
    );
  });
});

function readFixture(name: string): string {
  return readFileSync(new URL(`../../fixtures/darwin/${name}`, import.meta.url), 'utf8');
}
