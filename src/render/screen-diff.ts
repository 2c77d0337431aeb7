/**
 * What must be written to turn one frame into another: the lines that differ, within one synchronized update (mode
 * 2026, ignored by terminals that do not know it). Without a frame before, or after a change of size, all of it.
 * Empty if nothing differs.
 */
export function diffFrames(before: readonly string[] | undefined, after: readonly string[]): string {
  const isFresh = before === undefined || before.length !== after.length;
  const changed = after.flatMap((line, index) => (!isFresh && before[index] === line ? [] : [placeLine(line, index)]));
  if (changed.length === 0) return '';
  return `${BEGIN}${isFresh ? CLEAR : ''}${changed.join('')}${END}`;
}

const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const CLEAR = '\x1b[2J';

function placeLine(line: string, index: number): string {
  return `\x1b[${index + 1};1H${line}`;
}
