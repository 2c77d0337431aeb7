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
  const lines: { text: string; branch: string; style: Style | undefined }[] = [];
  const marks = view.unicode ? UNICODE_BRANCHES : ASCII_BRANCHES;
  const walk = (nodes: readonly TreeLine[], indent: string, isTop: boolean): void => {
    nodes.forEach((node, index) => {
      const isLast = index === nodes.length - 1;
      const branch = isTop ? '' : indent + (isLast ? marks.last : marks.middle);
      lines.push({ text: escapeUntrusted(node.text), branch, style: node.style });
      walk(node.children, isTop ? '' : indent + (isLast ? marks.blank : marks.line), false);
    });
  };
  walk(roots, '', true);
  const paint = await loadPaint(view.colorLevel);
  const textWidth = await loadTextWidth(lines.map((line) => line.text));
  const width = view.isTTY ? view.columns : undefined;
  return lines
    .map(({ text, branch, style }) => {
      const room = width === undefined ? undefined : Math.max(SHORTEST_TEXT, width - branch.length);
      const shown = room === undefined ? text : cutText(text, room, view.unicode ? '…' : '~', textWidth);
      return `${branch}${paint(shown, style)}\n`;
    })
    .join('');
}

const SHORTEST_TEXT = 10;
const UNICODE_BRANCHES = { middle: '├─ ', last: '└─ ', line: '│  ', blank: '   ' };
const ASCII_BRANCHES = { middle: '|- ', last: '`- ', line: '|  ', blank: '   ' };
