import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseCommandLine } from '../../../src/platform/linux/cmdline.ts';

const argvOf = (text: string) => parseCommandLine(Buffer.from(text)).argv;

describe('parseCommandLine', () => {
  it.each<[string, string, string[]]>([
    ['an empty file: a zombie', '', []],
    ['one empty argument', '\0', ['']],
    ['one argument', 'sleep\0', ['sleep']],
    ['an empty argument at the end', 'a\0\0', ['a', '']],
    ['empty arguments between others', 'a\0\0\0b\0', ['a', '', '', 'b']],
    ['an empty name', '\0x\0', ['', 'x']],
    ['newlines and blanks', 'sh\0-c\0a\nb  c\0', ['sh', '-c', 'a\nb  c']],
    ['a title without a NUL at its end', 'nginx: worker process', ['nginx: worker process']],
    ['a title in a wiped area', 'claude\0\0\0\0\0\0\0\0', ['claude']],
    ['a title with blanks in a wiped area', 'postgres: writer\0\0', ['postgres: writer']],
  ])('reads %s', (_, text, argv) => {
    expect(argvOf(text)).toEqual(argv);
  });

  it('hands out the bytes only where they are no UTF-8', () => {
    expect(parseCommandLine(Buffer.from('é\0')).argvBytes).toBeUndefined();
    const bytes = Buffer.from([0x61, 0, 0xff, 0]);
    const parsed = parseCommandLine(bytes);
    expect(parsed).toEqual({ argv: ['a', '\ufffd'], argvBytes: new Uint8Array([0x61, 0, 0xff, 0]) });
    bytes.fill(0);
    expect(parsed.argvBytes?.[0]).toBe(0x61);
  });

  it('gives back every argument vector with something in it behind the name', () => {
    const argument = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '0'));
    fc.assert(
      fc.property(argument, fc.array(argument), argument, (name, rest, last) => {
        const argv = [name, ...rest, `${last}.`];
        expect(argvOf(argv.map((entry) => `${entry}\0`).join(''))).toEqual(argv);
      }),
    );
  });

  it('never throws, and keeps the bytes exactly where text would lose them', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        const { argvBytes } = parseCommandLine(Buffer.from(bytes));
        if (argvBytes === undefined)
          expect(Buffer.from(Buffer.from(bytes).toString('utf8'))).toEqual(Buffer.from(bytes));
        else expect(argvBytes).toEqual(bytes);
      }),
    );
  });
});
