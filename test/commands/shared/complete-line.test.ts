import { describe, expect, it } from 'vitest';
import { type CompletionValues, completeLine } from '../../../src/commands/shared/complete-line.ts';
import { createProgram } from '../../../src/program.ts';
import { createMemoryContext } from '../../helpers/memory-context.ts';

const program = await createProgram(createMemoryContext());
const values: CompletionValues = {
  option: (command, option) => [{ value: `${command}${option}`, text: '' }],
  operand: (command) => [{ value: `${command}-operand`, text: '' }],
};

/** The words of a line whose last one is completed. */
function ask(line: string): string[] | number {
  const words = line.split(' ');
  const answer = completeLine(program, words, words.length - 1, values);
  return answer.type === 'command' ? answer.index : answer.offers.map(({ value }) => value);
}

describe('completeLine', () => {
  it('knows every command and says what each does', () => {
    const answer = completeLine(program, [''], 0, values);
    const offers = answer.type === 'offers' ? answer.offers : [];
    expect(offers.map(({ value }) => value)).toEqual([...program.commands.map((one) => one.name()), 'help']);
    expect(offers.filter(({ text }) => text === '')).toEqual([]);
  });

  it.each<[string, string[] | number]>([
    ['--ver', ['--version']],
    ['help kill-', ['kill-tree']],
    ['help kill ', []],
    ['nope ', []],
    ['ps --jso', ['--json']],
    ['ps --sort ', ['ps--sort']],
    ['ps --json --sort ', ['ps--sort']],
    ['ps --sort age ', ['ps-operand']],
    ['ps --sort=', ['--sort=ps--sort']],
    ['ps --filter a=1 -f ', ['ps--filter']],
    ['kill ', ['kill-operand']],
    ['kill -9 ', ['kill-operand']],
    ['kill -- -', []],
    ['kill --block ', ['kill--block']],
    ['kill --block b1 ', ['kill-operand']],
    ['kill --block --jso', ['--json']],
    ['run --block x --leftovers ', ['run--leftovers']],
    ['run ', 1],
    ['run cla', 1],
    ['run --block x claude -', 3],
    ['run claude --block ', 1],
    ['run -- ', 2],
    ['run -- claude ', 2],
  ])('of "%s" makes %j', (line, expected) => {
    expect(ask(line)).toEqual(expected);
  });
});
