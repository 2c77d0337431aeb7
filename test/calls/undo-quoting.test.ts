import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractCommand, undoQuoting } from '../../src/calls/undo-quoting.ts';

const preamble =
  "source /home/u/.claude/shell-snapshots/snapshot-bash-1-x.sh 2>/dev/null || true && \\builtin shopt -u extglob 2>/dev/null || true && { \\builtin unalias -- 'which'; \\builtin unset -f -- 'which'; } >/dev/null 2>&1 || true";
const prefixed =
  "source '/home/a b/.claude/shell-snapshots/snapshot-zsh-1-x.sh' 2>/dev/null || true && { \\builtin shopt -u extglob || \\builtin setopt NO_EXTENDED_GLOB; } >/dev/null 2>&1 || true";
const quote = (text: string) => `'${text.replaceAll("'", `'"'"'`)}'`;

describe('undoQuoting', () => {
  it.each([
    [`echo '"'"'hi'"'"'`, "echo 'hi'"],
    [`echo '\\''hi'\\''`, "echo 'hi'"],
    ['plain', 'plain'],
  ])('%s', (text, expected) => {
    expect(undoQuoting(text)).toBe(expected);
  });
});

describe('extractCommand', () => {
  it.each([
    [
      'without a shell prefix',
      `${preamble} && eval 'ls -l | wc' < /dev/null && pwd -P >| /tmp/claude-1-cwd`,
      'ls -l | wc',
    ],
    ['with a shell prefix', `${prefixed} && eval 'ls -l' < /dev/null && pwd -P >| /tmp/claude-1-cwd`, 'ls -l'],
    ['a word without quotes', `${preamble} && eval pwd < /dev/null && pwd -P >| /tmp/c`, 'pwd'],
    ['a command that reads its own input', `${preamble} && eval 'cat < f' && pwd -P >| /tmp/c`, 'cat < f'],
    ['a command in braces', `${preamble} && { eval 'x y' < /dev/null; } && pwd -P >| /tmp/c`, 'x y'],
    ['quotes by backslash', `${preamble} && eval 'it'\\''s' < /dev/null && pwd -P >| /tmp/c`, "it's"],
    [
      'a command that looks like the frame',
      `${preamble} && eval ${quote("true && eval 'b' < /dev/null && pwd -P >| /tmp/d")} < /dev/null && pwd -P >| /tmp/c`,
      "true && eval 'b' < /dev/null && pwd -P >| /tmp/d",
    ],
    ['lines', `${preamble} && eval 'a\nb' < /dev/null && pwd -P >| '/tmp/a b'`, 'a\nb'],
    ['no preamble at all', "eval 'a' < /dev/null && pwd -P >| /tmp/c", 'a'],
  ])('finds the command: %s', (_, text, expected) => {
    expect(extractCommand(text)).toBe(expected);
  });

  it.each([
    ['a hook', 'node hook.js --event x'],
    ['an eval of something else', "eval 'a b'"],
    ['an open quote', `${preamble} && eval 'a < /dev/null && pwd -P >| /tmp/c`],
    ['an eval inside quotes', `echo "&& eval 'a' < /dev/null && pwd -P >| /tmp/c"`],
    ['nothing', ''],
  ])('answers nothing for %s', (_, text) => {
    expect(extractCommand(text)).toBeUndefined();
  });

  it('gives back whatever was quoted', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (command) => {
        expect(extractCommand(`${prefixed} && eval ${quote(command)} < /dev/null && pwd -P >| /tmp/c`)).toBe(command);
      }),
    );
  });

  it('reads words as a shell does', () => {
    const word = fc.array(fc.constantFrom("'a b'", '"c d"', '\\e', 'f', "'\"'", '"\\""', '"\'"', "\\'"), {
      minLength: 1,
    });
    fc.assert(
      fc.property(word, (parts) => {
        const text = parts.join('');
        const { stdout } = spawnSync('sh', ['-c', `printf %s ${text}`], { encoding: 'utf8' });
        expect(extractCommand(`eval ${text} && pwd -P >| f`)).toBe(stdout);
      }),
      { numRuns: 20 },
    );
  });

  it('never throws, and takes time in proportion', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void extractCommand(text)));
    expect(extractCommand('&& eval '.repeat(20_000))).toBeUndefined();
  });
});
