/**
 * Tag for a template that holds a script: backslashes stand as they are, `$\{` is a `${` of the script's and an escaped
 * backtick a backtick; nothing is filled in.
 */
export function shellText({ raw }: TemplateStringsArray): string {
  return raw.join('').replaceAll('$\\{', '${').replaceAll('\\`', '`');
}
