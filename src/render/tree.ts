import { loadPaint, type Style } from './paint.ts';
import type { TableView } from './table.ts';
import { escapeUntrusted } from './untrusted.ts';
import { cutText, loadTextWidth } from './width.ts';

/** One line of a tree with what hangs below it. The text may be untrusted: the tree escapes it. */
export interface TreeLine {
  readonly text: string;
  readonly style?: Style;
  readonly children: readonly TreeLine[];
}

/** A forest as indented lines with branches; ASCII branches where the locale has no others. */
export async function renderTree(roots: readonly TreeLine[], view: TableView): Promise<string> {
  const lines = placeLines(roots, view.unicode ? UNICODE_BRANCHES : ASCII_BRANCHES);
  const paint = await loadPaint(view.colorLevel);
  const textWidth = await loadTextWidth(lines.map((line) => line.text));
  const width = view.isTTY ? view.columns : undefined;
  return lines
    .map(({ branch, text, style }) => {
      const room = width === undefined ? undefined : Math.max(SHORTEST_TEXT, width - branch.length);
      const shown = room === undefined ? text : cutText(text, room, view.unicode ? '…' : '~', textWidth);
      return `${branch}${paint(shown, style)}\n`;
    })
    .join('');
}

interface PlacedLine {
  readonly branch: string;
  readonly text: string;
  readonly style: Style | undefined;
}

/** Without recursion and without deeper indentation than people can follow: a chain can be deeper than the stack. */
function placeLines(roots: readonly TreeLine[], marks: typeof ASCII_BRANCHES): PlacedLine[] {
  const placed: PlacedLine[] = [];
  const stack = roots.map((line) => ({ line, branch: '', below: '' })).reverse();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { line, branch, below } = next;
    placed.push({ branch, text: escapeUntrusted(line.text), style: line.style });
    const indent = below.length > DEEPEST_INDENT ? below.slice(0, DEEPEST_INDENT) : below;
    line.children
      .map((child, index) => {
        const isLast = index === line.children.length - 1;
        const [mark, bar] = isLast ? [marks.last, marks.blank] : [marks.middle, marks.line];
        return { line: child, branch: indent + mark, below: indent + bar };
      })
      .reverse()
      .forEach((child) => {
        stack.push(child);
      });
  }
  return placed;
}

const SHORTEST_TEXT = 10;
const DEEPEST_INDENT = 120;
const UNICODE_BRANCHES = { middle: '├─ ', last: '└─ ', line: '│  ', blank: '   ' };
const ASCII_BRANCHES = { middle: '|- ', last: '`- ', line: '|  ', blank: '   ' };
