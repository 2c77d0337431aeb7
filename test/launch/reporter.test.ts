import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createReporter } from '../../src/launch/reporter.ts';

describe('the voice of agentmux-run', () => {
  it('shows a line break of a command escaped, never as a line of its own', () => {
    expect(spoken("ended 1 process: 59 ('sleep\n99999 root fake row')")).toBe(
      "agentmux-run: ended 1 process: 59 ('sleep\\n99999 root fake row')\n",
    );
  });

  it('says whatever it is given in one line without control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(spoken(text)).toMatch(/^agentmux-run: [^\u0000-\u001f\u007f-\u009f]*\n$/);
      }),
    );
  });

  it('goes on without its reader', () => {
    const broken = {
      ...stderr([]),
      write: () => {
        throw new Error('ENOSPC');
      },
    };
    expect(() => createReporter(broken, { quiet: false, verbose: false }).say('x')).not.toThrow();
  });
});

function spoken(text: string): string {
  const written: string[] = [];
  createReporter(stderr(written), { quiet: false, verbose: false }).say(text);
  return written.join('');
}

function stderr(written: string[]) {
  return {
    isTTY: false,
    columns: undefined,
    colorLevel: 0 as const,
    write(text: string) {
      written.push(text);
    },
  };
}
