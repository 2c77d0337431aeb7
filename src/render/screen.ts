import { formatCount } from './format.ts';
import { drawBlocks } from './screen-blocks.ts';
import { ruleLine } from './screen-columns.ts';
import { drawDetails } from './screen-details.ts';
import { drawDialog } from './screen-dialogs.ts';
import { encodeLine, type Line, type LineView, type Span } from './screen-line.ts';
import { drawList } from './screen-list.ts';
import { type Panes, sharePanes } from './screen-panes.ts';
import type { ScreenInput } from './screen-types.ts';
import { escapeUntrusted } from './untrusted.ts';

/**
 * One frame of the live view: exactly `size.rows` lines, each at most `size.columns` cells. No character of a process,
 * file or agent gets to the terminal but as a printable one.
 */
export function renderScreen(input: ScreenInput, view: Omit<LineView, 'columns'>): string[] {
  const { rows, columns } = input.size;
  const lineView = { ...view, columns };
  const panes = sharePanes(rows, input.blocks.length);
  return drawPanes(input, panes, lineView).map((line) => encodeLine(line, lineView));
}

function drawPanes(input: ScreenInput, panes: Panes, view: LineView): Line[] {
  const blocks = drawBlocks(input, panes.blocks, view);
  return [
    ...fill([titleLine(input, view)], panes.title),
    ...fill([blocks.header], panes.blocksHeader),
    ...fill(blocks.lines, panes.blocks),
    ...(input.dialog === undefined ? drawBody(input, panes, view) : drawDialogPane(input.dialog, panes, view)),
    ...fill([footerLine(input, view)], panes.footer),
  ];
}

function drawBody(input: ScreenInput, panes: Panes, view: LineView): Line[] {
  const list = drawList(input, panes.list, view);
  const details = drawDetails(input, panes.details, view);
  const position = input.items.length > panes.list ? `  ${input.item + 1}/${input.items.length}` : '';
  const title = `${input.listTitle}${position}`;
  return [
    ...fill([ruleLine(title, view.columns, input.focus === 'list', view)], panes.listTitle),
    ...fill([list.header], panes.listHeader),
    ...fill(list.lines, panes.list),
    ...fill([ruleLine(details.title, view.columns, false, view)], panes.detailsTitle),
    ...fill(details.lines, panes.details),
  ];
}

/** A dialog takes the place of the list and of the details. */
function drawDialogPane(dialog: NonNullable<ScreenInput['dialog']>, panes: Panes, view: LineView): Line[] {
  const height = dialogHeight(panes);
  const { title, lines } = drawDialog(dialog, height, view);
  return [...fill([ruleLine(title, view.columns, true, view)], panes.listTitle), ...fill(lines, height)];
}

/** The lines that a dialog may take. */
export function dialogHeight({ listHeader, list, detailsTitle, details }: Panes): number {
  return listHeader + list + detailsTitle + details;
}

function fill(lines: readonly Line[], height: number): Line[] {
  return Array.from({ length: height }, (_, index) => lines[index] ?? EMPTY);
}

const EMPTY: Line = { spans: [] };

function titleLine({ blocks }: ScreenInput, view: LineView): Line {
  const live = blocks.filter(({ goneAtMs }) => goneAtMs === undefined);
  const own = live.filter(({ parentId }) => !live.some(({ id }) => id === parentId));
  const count = (read: (block: (typeof live)[number]) => number | undefined): number =>
    own.reduce((sum, block) => sum + (read(block) ?? 0), 0);
  const facts = [
    formatCount(live.length, 'block', 'blocks'),
    formatCount(
      count(({ processes }) => processes),
      'process',
      'processes',
    ),
    `${count(({ agentStarted }) => agentStarted)} agent-started`,
  ].join(', ');
  const left = { text: ' agentmux', style: 'bold' } as const;
  const middle = { text: `  ${facts}` };
  const used = left.text.length + middle.text.length;
  const gap = Math.max(1, view.columns - used - HELP.length);
  return { spans: [left, middle, { text: ' '.repeat(gap) }, { text: HELP, style: 'dim' }] };
}

const HELP = '? help ';

function footerLine({ footer }: ScreenInput, { unicode }: LineView): Line {
  switch (footer.type) {
    case 'message':
      return {
        spans: [
          {
            text: ` ${footer.isWarning ? '! ' : ''}${escapeUntrusted(footer.text)}`,
            style: footer.isWarning ? 'yellow' : 'bold',
          },
        ],
      };
    case 'input':
      return {
        spans: [
          { text: ` ${footer.label}`, style: 'bold' },
          { text: escapeUntrusted(footer.text) },
          { text: unicode ? '▏' : '_' },
        ],
      };
    case 'keys':
      return { spans: footer.hints.flatMap(hintSpans) };
  }
}

function hintSpans([key, does]: readonly [string, string]): Span[] {
  return [
    { text: ` ${key} `, style: 'bold' },
    { text: `${does} `, style: 'dim' },
  ];
}
