/** What the rules of quoting turn on, and some that they do not. */
const pieces = [
  '"',
  '\\',
  '\\\\',
  '\\"',
  ' ',
  '\t',
  '%PATH%',
  '^',
  '&',
  '|',
  '<',
  '>',
  "'",
  '!',
  'a',
  'b=c',
  'ü',
  '語',
  '😀',
  '$(x)',
  '*',
  '/',
  '\n',
];

/** Argument vectors of zero to six words, each of zero to nine pieces. */
export function randomVectors(count: number, random: () => number): readonly (readonly string[])[] {
  const upTo = (limit: number) => Math.floor(random() * (limit + 1));
  const word = () => Array.from({ length: upTo(9) }, () => pieces[upTo(pieces.length - 1)]).join('');
  return Array.from({ length: count }, () => Array.from({ length: upTo(6) }, word));
}
