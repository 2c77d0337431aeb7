/**
 * True if a shell command asks to leave something behind: `&` at its end or before a `;` or a line end, `nohup`, `disown`,
 * `setsid`, or a program told to become a daemon. What stands in quotes, in comments and behind `\` does not count, and
 * neither do `&&`, `&>` and `2>&1`.
 */
export function asksToDetach(command: string): boolean {
  const plain = blankQuoted(command);
  return BACKGROUND.test(plain) || PROGRAM.test(plain) || DAEMON.test(plain);
}

/** A single `&` with nothing behind it but what ends or closes a command. */
const BACKGROUND = /(?:^|[^&>|<\\])&[ \t]*(?:[;)}#\n]|$|disown\b)/;
/** In the place of a command: at the start, or behind what separates commands or precedes one. */
const PROGRAM =
  /(?:^|[;&|({\n]|\b(?:then|do|else|exec|command|env|sudo)\s)\s*(?:[A-Za-z_]\w*=\S*\s+)*(?:nohup|disown|setsid|daemonize|start-stop-daemon)(?:\s|$)/;
const DAEMON = /\s(?:--daemon(?:ize)?|--detach|-daemon)(?=[\s;&|)]|$)(?!\s*=)/;

/** The command with the text of quotes and comments made blank, its length unchanged. */
function blankQuoted(command: string): string {
  return command.replace(/\\[\s\S]|'[^']*'?|"(?:\\[\s\S]|[^"\\])*"?|(?<=^|\s)#[^\n]*/g, (quoted) =>
    quoted.startsWith('#') ? ' '.repeat(quoted.length) : '_'.repeat(quoted.length),
  );
}
