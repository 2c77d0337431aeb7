/**
 * The environment behind a command: `withEnvironment` is what `ps` printed with it, `command` without. Undefined if it
 * shows none (of another user, or hidden by the system), or if the two are not of the same program, which had started
 * another one between.
 */
export function cutEnvironment(command: string, withEnvironment: string): string | undefined {
  if (!withEnvironment.startsWith(`${command} `)) return undefined;
  return withEnvironment.slice(command.length + 1);
}

/**
 * Entries of an environment that was printed as one text, where each begins at a word of the form `NAME=`. A value with
 * such a word in it gives two entries.
 */
export function splitEnvironment(text: string): string[] {
  return text === '' ? [] : text.split(/ (?=[A-Za-z_][A-Za-z0-9_]*=)/);
}

/** The variables of these names, of one that is there twice the first. */
export function pickVariables(text: string, names: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const entry of splitEnvironment(text)) {
    const equals = entry.indexOf('=');
    const name = entry.slice(0, equals);
    if (equals > 0 && names.has(name) && !found.has(name)) found.set(name, entry.slice(equals + 1));
  }
  return found;
}

/** Which of the exact words `AGENTMUX_TAG=<tag>` is in it. */
export function pickTag(text: string, tags: ReadonlySet<string>): string | undefined {
  for (let at = text.indexOf(NAME); at !== -1; at = text.indexOf(NAME, at + 1)) {
    const end = text.indexOf(' ', at);
    const tag = text.slice(at + NAME.length, end === -1 ? undefined : end);
    if ((at === 0 || text[at - 1] === ' ') && tags.has(tag)) return tag;
  }
  return undefined;
}

const NAME = 'AGENTMUX_TAG=';
