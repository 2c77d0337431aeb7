import type { Command, Option } from 'commander';
import { macroLine, text } from './mdoc.ts';
import { readSections, type Section } from './sections.ts';

/** File name to mdoc text: agentmux.1, and one page a command (agentmux-run.1 for `run`). */
export function renderPages(program: Command): Map<string, string> {
  const commands = program.commands;
  const names = ['agentmux', ...commands.map((command) => `agentmux-${command.name()}`)].sort();
  const pages = new Map([['agentmux.1', renderPage('agentmux', program, names)]]);
  for (const command of commands) {
    const name = `agentmux-${command.name()}`;
    pages.set(`${name}.1`, renderPage(name, command, names));
  }
  return pages;
}

// The date of the pages, not of the day they are made: the same commands give the same bytes.
const DATE = 'November 30, 2026';

function renderPage(name: string, command: Command, names: readonly string[]): string {
  const sections = readSections(command);
  const find = (title: string): Section | undefined => sections.find((section) => section.title === title);
  const others = sections.filter(({ title }) => !['', 'Examples', 'Exit codes'].includes(title));
  const lines = [
    '.\\" Generated from the commands by npm run man. Do not edit.',
    `.Dd ${DATE}`,
    `.Dt ${name.toUpperCase()} 1`,
    '.Os',
    '.Sh NAME',
    macroLine('Nm', name),
    macroLine('Nd', command.summary() || firstSentence(command.description())),
    '.Sh SYNOPSIS',
    ...synopsis(name, command),
    '.Sh DESCRIPTION',
    ...text(command.description()),
    ...commandList(command),
    ...optionList(command),
    ...notes(find('')),
    ...others.flatMap((section) => [macroLine('Sh', section.title.toUpperCase()), ...literal(section.lines)]),
    ...environment(name),
    '.Sh EXIT STATUS',
    ...exitStatus(find('Exit codes')),
    ...examples(find('Examples')),
    '.Sh SEE ALSO',
    ...seeAlso(names.filter((other) => other !== name)),
  ];
  return `${lines.join('\n')}\n`;
}

function firstSentence(description: string): string {
  const sentence = description.split(/\.(?:\s|$)/)[0] ?? description;
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}

function synopsis(name: string, command: Command): string[] {
  if (command.commands.length > 0) return [macroLine('Nm'), '.Ar command', '.Op Ar options'];
  const usage =
    name === 'agentmux-run'
      ? ['.Nm', '.Op Ar options', '.Op Fl -', '.Ar command', '.Op Ar argument ...']
      : ['.Nm agentmux', `.Cm ${command.name()}`, '.Op Ar options'];
  // Optional to the parser alone: without it the refusal is in words of our own.
  if (name === 'agentmux-run') return usage;
  const operands = command.registeredArguments.map((argument) => {
    const words = macroWords(argument.name());
    const dots = argument.variadic ? ' ...' : '';
    return argument.required ? `.Ar ${words}${dots}` : `.Op Ar ${words}${dots}`;
  });
  return [...usage, ...operands];
}

function commandList(program: Command): string[] {
  if (program.commands.length === 0) return [];
  const items = program.commands.flatMap((command) => [
    macroLine('It', 'Cm', command.name()),
    ...text(sentence(command.summary() || command.description())),
  ]);
  return ['.Pp', 'The commands are:', '.Bl -tag -width doctor', ...items, '.El'];
}

function optionList(command: Command): string[] {
  const options = command.createHelp().visibleOptions(command);
  if (options.length === 0) return [];
  const items = options.flatMap((option) => [optionItem(option), ...text(describeOption(option))]);
  return ['.Pp', 'The options are:', '.Bl -tag -width Ds', ...items, '.El'];
}

function optionItem(option: Option): string {
  const value = /[[<](.*?)[\]>]/.exec(option.flags)?.[1];
  const names = [option.short, option.long]
    .filter((flag) => flag !== undefined)
    .map((flag) => `Fl ${macroWords(flag.slice(1))}`);
  const argument = value === undefined ? '' : ` ${option.optional ? 'Op ' : ''}Ar ${macroWords(value)}`;
  return `.It ${names.join(' , ')}${argument}`;
}

function describeOption(option: Option): string {
  const choices = option.argChoices === undefined ? '' : ` One of ${option.argChoices.join(', ')}.`;
  const fallback = typeof option.defaultValue === 'string' ? ` Default: ${option.defaultValue}.` : '';
  return `${sentence(option.description)}${choices}${fallback}`;
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/\.?$/, '.');
}

function environment(name: string): string[] {
  const variables = name === 'agentmux-run' ? RUN_ENVIRONMENT : ENVIRONMENT;
  const items = variables.flatMap(([variable, means]) => [macroLine('It', 'Ev', variable), ...text(means)]);
  return ['.Sh ENVIRONMENT', '.Bl -tag -width Ds', ...items, '.El'];
}

const STATE_DIRECTORY = [
  'AGENTMUX_STATE_DIR',
  'Where the state files are; else $XDG_STATE_HOME/agentmux, else ~/.local/state/agentmux, on Windows ' +
    '%LOCALAPPDATA%\\agentmux. Where that cannot be made: agentmux-UID in the temporary directory.',
] as const;
const CONFIG = ['AGENTMUX_CONFIG', 'The configuration file; empty: none. See CONFIGURATION in agentmux(1).'] as const;
const OFF = [
  'AGENTMUX',
  'off: the functions of agentmux-init(1) start the agent itself, and nothing is tracked.',
] as const;
const CALLS = [
  [
    'AGENTMUX_CALLS',
    'Where the tool calls of the block are noted; set for an agent that is given labels, and left out by --no-labels.',
  ],
  ['AGENTMUX_CALL', 'The note of a tool call; set for what the call starts.'],
  [
    'AGENTMUX_SHELL_PREFIX',
    'The CLAUDE_CODE_SHELL_PREFIX of the user, which is run after ours; set where there was one.',
  ],
] as const;
const PROCESS_TABLE = [
  'AGENTMUX_PROCESS_TABLE',
  'ps: read processes by the programs ps and lsof, as on systems without a reader of their own; ps-darwin: take what ' +
    'they print for what macOS prints. Blocks that are run so are elsewhere to commands that read otherwise.',
] as const;
const CODE_CACHE = [
  'NODE_DISABLE_COMPILE_CACHE',
  '1: what Node compiles of agentmux is not kept in $XDG_CACHE_HOME/agentmux, else ~/.cache/agentmux.',
] as const;
const GRACE = ['AGENTMUX_GRACE', 'Default of --grace.'] as const;
const ENVIRONMENT = [
  ['AGENTMUX_BLOCKID', 'The block that we are in; set by agentmux-run for the agent and all it starts.'],
  STATE_DIRECTORY,
  CONFIG,
  GRACE,
  ['AGENTMUX_TRACKER', 'Default of --tracker, where there is such an option or a tracker is tried.'],
  PROCESS_TABLE,
  CODE_CACHE,
  OFF,
  ['NO_COLOR', 'If not empty: no colours.'],
  ['FORCE_COLOR', 'Colours also where the output is no terminal.'],
] as const;
const RUN_ENVIRONMENT = [
  ['AGENTMUX_BLOCKID', 'Name for the block, or the parent block; set for the agent and all it starts.'],
  ['AGENTMUX_TAG', 'The nonce of the block; set for the agent and all it starts.'],
  ...CALLS,
  ['AGENTMUX_LEFTOVERS', 'Default of --leftovers.'],
  GRACE,
  ['AGENTMUX_TRACKER', 'Default of --tracker.'],
  PROCESS_TABLE,
  STATE_DIRECTORY,
  CONFIG,
  CODE_CACHE,
] as const;

/** Paragraphs of the help that stand under no title. */
function notes(section: Section | undefined): string[] {
  return section === undefined ? [] : ['.Pp', ...text(section.lines.join(' '))];
}

function exitStatus(section: Section | undefined): string[] {
  if (section === undefined) return ['See agentmux(1).'];
  const items = section.lines.flatMap((line) => {
    const [code = '', means = ''] = line.trim().split(/\s{2,}/);
    return [macroLine('It', code), ...text(means)];
  });
  return ['.Bl -tag -width Ds', ...items, '.El'];
}

function examples(section: Section | undefined): string[] {
  return section === undefined ? [] : ['.Sh EXAMPLES', ...literal(section.lines)];
}

function literal(lines: readonly string[]): string[] {
  return ['.Bd -literal', ...lines.flatMap((line) => (line === '' ? [''] : text(line))), '.Ed'];
}

function seeAlso(names: readonly string[]): string[] {
  return names.map((name, index) => `.Xr ${name} 1${index === names.length - 1 ? '' : ' ,'}`);
}

function macroWords(words: string): string {
  return words
    .split(' ')
    .map((word) => macroLine('', word).slice(2))
    .join(' ');
}
