import type { EventEmitter } from 'node:events';
import type { Command } from 'commander';

/** A part of the help after the options: `Title:` and the indented lines below it; other text has an empty title. */
export interface Section {
  readonly title: string;
  readonly lines: readonly string[];
}

/** The sections that a command adds to its help by `addHelpText('after', …)`. */
export function readSections(command: Command): Section[] {
  let help = '';
  (command as Command & EventEmitter).emit('afterHelp', {
    error: false,
    command,
    write: (part: string) => (help += part),
  });
  const sections: { title: string; lines: string[] }[] = [];
  const untitled: string[] = [];
  for (const line of help.split('\n')) {
    if (/^\S.*:$/.test(line)) sections.push({ title: line.slice(0, -1), lines: [] });
    else if (/^\S/.test(line)) untitled.push(line);
    else if (line !== '') sections.at(-1)?.lines.push(line);
  }
  return untitled.length === 0 ? sections : [...sections, { title: '', lines: untitled }];
}
