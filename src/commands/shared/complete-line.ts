import type { Command, Option } from 'commander';

/** One thing that a shell may offer. */
export interface Completion {
  readonly value: string;
  /** What it is, for people; untrusted. */
  readonly text: string;
}

/** What completing a command line comes to: things to offer, or the index of the word at which another command begins. */
export type CompletionAnswer =
  | { readonly type: 'offers'; readonly offers: readonly Completion[] }
  | { readonly type: 'command'; readonly index: number };

/** What the options and operands of a command can be, where the command itself does not tell. */
export interface CompletionValues {
  /** Values of an option, by its long name with the dashes. */
  option(command: string, option: string, current: string): readonly Completion[];
  /** Operands of a command. */
  operand(command: string, current: string): readonly Completion[];
}

/**
 * Completes word `index` of a command line of `agentmux`, its name left out, by the flags of the commands themselves.
 */
export function completeLine(
  program: Command,
  words: readonly string[],
  index: number,
  values: CompletionValues,
): CompletionAnswer {
  const current = words[index] ?? '';
  const before = words.slice(0, index);
  const offer = (offers: readonly Completion[]): CompletionAnswer => ({
    type: 'offers',
    offers: offers.filter(({ value }) => value.startsWith(current)),
  });
  const [name] = before;
  if (name === undefined) return offer(current.startsWith('-') ? listOptions(program) : listCommands(program));
  if (name === 'help') return offer(before.length === 1 ? listCommands(program) : []);
  const command = program.commands.find((one) => one.name() === name);
  if (command === undefined) return offer([]);
  const place = findPlace(command, before.slice(1));
  if (place.commandAt !== undefined) return { type: 'command', index: place.commandAt + 1 };
  if (place.option !== undefined) {
    const offers = values.option(name, place.option.long ?? '', current);
    if (place.option.required) return offer(offers);
    // The value may be left out, and this be the next flag.
    return offer([...offers, ...(current.startsWith('-') ? listOptions(command) : [])]);
  }
  const assigned = place.isOver ? null : /^(--[a-z-]+)=(.*)$/s.exec(current);
  if (assigned?.[1] !== undefined) {
    const [, long, value = ''] = assigned;
    const offers = values.option(name, long, value);
    return offer(offers.map((one) => ({ ...one, value: `${long}=${one.value}` })));
  }
  if (current.startsWith('-') && !place.isOver) return offer(listOptions(command));
  if (takesCommand(command)) return { type: 'command', index };
  return offer(values.operand(name, current));
}

interface Place {
  /** Option whose value comes now. */
  readonly option: Option | undefined;
  /** True behind `--`. */
  readonly isOver: boolean;
  /** Index among the words of the command that runs another, at which that one begins. */
  readonly commandAt: number | undefined;
}

function findPlace(command: Command, words: readonly string[]): Place {
  let option: Option | undefined;
  for (const [at, word] of words.entries()) {
    if (option !== undefined && (option.required || !word.startsWith('-'))) {
      option = undefined;
      continue;
    }
    option = undefined;
    if (word === '--') {
      if (takesCommand(command)) return { option, isOver: true, commandAt: at + 1 };
      return { option, isOver: true, commandAt: undefined };
    }
    if (word.startsWith('-') && word !== '-') {
      const found = command.options.find(({ long, short }) => long === word || short === word);
      option = found !== undefined && (found.required || found.optional) ? found : undefined;
    } else if (takesCommand(command)) {
      return { option: undefined, isOver: true, commandAt: at };
    }
  }
  return { option, isOver: false, commandAt: undefined };
}

/** True for `run`, whose operands are a command line of their own. */
function takesCommand(command: Command): boolean {
  return command.registeredArguments[0]?.name() === 'command' && command.registeredArguments[0].variadic;
}

function listCommands(program: Command): Completion[] {
  const commands = program.commands.map((command) => ({
    value: command.name(),
    text: command.summary() || command.description(),
  }));
  return [...commands, { value: 'help', text: 'print the help of a command' }];
}

function listOptions(command: Command): Completion[] {
  const options = command.options.flatMap(({ long, description }) =>
    long === undefined ? [] : [{ value: long, text: description }],
  );
  return [...options, { value: '--help', text: 'print this help' }];
}
