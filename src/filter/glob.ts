/**
 * True if the whole text matches the pattern, letter case aside: `*` stands for any characters, `?` for one. Takes time in
 * proportion to both lengths, whatever the pattern.
 */
export function matchesGlob(pattern: string, text: string): boolean {
  const wanted = [...pattern.toLowerCase()];
  const given = [...text.toLowerCase()];
  let star = -1;
  let resume = 0;
  let at = 0;
  for (let read = 0; read < given.length; ) {
    if (at < wanted.length && wanted[at] === '*') {
      star = at;
      resume = read;
      at += 1;
    } else if (at < wanted.length && (wanted[at] === '?' || wanted[at] === given[read])) {
      at += 1;
      read += 1;
    } else if (star !== -1) {
      at = star + 1;
      resume += 1;
      read = resume;
    } else {
      return false;
    }
  }
  return wanted.slice(at).every((character) => character === '*');
}
