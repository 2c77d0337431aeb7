/**
 * One argument so that CommandLineToArgvW and the C runtime of Microsoft give it back: quoted where it is empty or holds a
 * blank or a quote, with backslashes doubled before a quote ("Parsing C command-line arguments").
 */
export function quoteArgument(argument: string): string {
  if (argument !== '' && !/[ \t\n\v"]/.test(argument)) return argument;
  const escaped = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&');
  return `"${escaped}"`;
}

/** The first word of a command line, where a quote ends the name and a backslash means nothing else. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '')}"`;
}

/** A whole command line; the program parses it as `name` and `args`. */
export function quoteCommand(name: string, args: readonly string[]): string {
  return [quoteName(name), ...args.map(quoteArgument)].join(' ');
}
