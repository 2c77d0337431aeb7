/**
 * Splits a command line as CommandLineToArgvW and the C runtime do ("Parsing C command-line arguments"): 2n backslashes
 * before a quote are n and the quote opens or closes, 2n+1 are n and the quote itself; others are themselves. The name of
 * the program knows no backslashes: it ends at its closing quote or at the first blank. Empty for an empty line.
 */
export function parseCommandLine(line: string): string[] {
  if (line === '') return [];
  const { name, rest } = splitName(line);
  return [name, ...splitArguments(rest)];
}

function splitName(line: string): { readonly name: string; readonly rest: string } {
  if (line.startsWith('"')) {
    const end = line.indexOf('"', 1);
    return end === -1 ? { name: line.slice(1), rest: '' } : { name: line.slice(1, end), rest: line.slice(end + 1) };
  }
  const end = line.search(/[\t ]/);
  return end === -1 ? { name: line, rest: '' } : { name: line.slice(0, end), rest: line.slice(end) };
}

/** Within quotes, the third of a row of quotes is one itself, as CommandLineToArgvW counts them. */
function splitArguments(text: string): string[] {
  const found: string[] = [];
  let current: string | undefined;
  let quotes = 0;
  let backslashes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charAt(at);
    if (isBlank(unit) && quotes === 0) {
      if (current !== undefined) found.push(current);
      current = undefined;
      backslashes = 0;
    } else if (unit === '\\') {
      current = `${current ?? ''}\\`;
      backslashes += 1;
    } else if (unit === '"') {
      const isLiteral = backslashes % 2 === 1;
      current = (current ?? '').slice(0, (current ?? '').length - Math.ceil(backslashes / 2));
      if (isLiteral) current += '"';
      else quotes += 1;
      backslashes = 0;
      for (; text.charAt(at + 1) === '"'; at += 1) {
        quotes += 1;
        if (quotes === 3) {
          current += '"';
          quotes = 0;
        }
      }
      if (quotes === 2) quotes = 0;
    } else {
      current = (current ?? '') + unit;
      backslashes = 0;
    }
  }
  if (current !== undefined) found.push(current);
  return found;
}

function isBlank(unit: string): boolean {
  return unit === ' ' || unit === '\t';
}
