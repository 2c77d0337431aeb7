import { describeStatus, formatProcesses } from './block-table.ts';
import { formatBytes, formatConfidence, formatPercent, UNKNOWN } from './format.ts';
import type { Style } from './paint.ts';
import { headerSpan, placeColumns, rowSpans, type ScreenColumn } from './screen-columns.ts';
import type { Line, LineView } from './screen-line.ts';
import { markOf } from './screen-marks.ts';
import type { ScreenInput, WatchBlock } from './screen-types.ts';

/** The heads of the columns and the visible blocks. */
export function drawBlocks(input: ScreenInput, height: number, view: LineView): { header: Line; lines: Line[] } {
  const { blocks, blocksTop, block: selected, focus, nowMs } = input;
  const shown = blocks.slice(blocksTop, blocksTop + height);
  const columns = placeColumns(selectColumns(blocks), blocks, view.columns - MARGIN, view.textWidth);
  const header = { spans: [{ text: ' '.repeat(MARGIN) }, headerSpan(columns, view.textWidth)] };
  const lines = shown.map((block, index): Line => {
    const isSelected = blocksTop + index === selected;
    const margin = `${isSelected ? '>' : ' '}${markOf(block, nowMs)}`;
    const spans = [{ text: margin, style: 'bold' as Style }, ...rowSpans(columns, block, view)];
    return { spans, selected: isSelected && focus === 'blocks' };
  });
  if (blocks.length === 0) lines.push({ spans: [{ text: NO_BLOCKS, style: 'dim' }] });
  return { header, lines };
}

const MARGIN = 2;
const NO_BLOCKS = '  no blocks: agentmux-run COMMAND starts one';

/** The state in words, with whether it is frozen. */
export function describeWatchState(block: WatchBlock): string {
  if (block.goneAtMs !== undefined) return 'ended';
  return block.frozen ? 'frozen' : describeStatus(block);
}

function selectColumns(blocks: readonly WatchBlock[]): ScreenColumn<WatchBlock>[] {
  const hasEntries = blocks.some(({ entries }) => entries !== undefined);
  return [
    { header: 'BLOCK', min: 8, max: 24, text: nameBlock, style: () => 'cyan' },
    { header: 'AGENT', min: 5, max: 12, text: ({ agent }) => agent ?? UNKNOWN },
    { header: 'STATE', min: 7, max: 24, text: describeWatchState, style: stateStyle },
    ...(hasEntries
      ? [{ header: 'ENTRIES', align: 'right', min: 7, max: 7, text: formatEntries } satisfies ScreenColumn<WatchBlock>]
      : []),
    { header: 'PROCS', align: 'right', min: 7, max: 9, text: formatProcesses },
    { header: 'CPU%', align: 'right', min: 6, max: 6, text: ({ cpuNowPercent }) => formatPercent(cpuNowPercent) },
    { header: 'MEM', align: 'right', min: 8, max: 9, text: formatMemory },
    { header: 'PORTS', min: 5, max: 24, text: formatBlockPorts, style: () => 'green' },
    {
      header: 'CONFIDENCE',
      shortHeader: 'CONF',
      min: 4,
      max: 11,
      text: ({ tracker }) => formatConfidence(tracker.confidence),
    },
  ];
}

/** A block inside another is indented below it. */
function nameBlock({ id, parentId }: WatchBlock): string {
  return parentId === undefined ? id : ` ${id}`;
}

function formatEntries({ entries }: WatchBlock): string {
  return entries === undefined ? UNKNOWN : String(entries);
}

function formatMemory({ privateBytes, memoryIsPartial }: WatchBlock): string {
  return privateBytes === undefined ? UNKNOWN : `${memoryIsPartial ? '>' : ''}${formatBytes(privateBytes)}`;
}

function formatBlockPorts({ ports }: WatchBlock): string {
  return ports === undefined ? UNKNOWN : ports.join(',');
}

function stateStyle(block: WatchBlock): Style | undefined {
  if (block.goneAtMs !== undefined || block.status === 'ended') return 'dim';
  if (block.frozen) return 'cyan';
  return block.status === 'leftovers' || block.status === 'wrapper-gone' ? 'yellow' : undefined;
}
