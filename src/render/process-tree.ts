import { formatIds } from '../annotate/entry-rows.ts';
import type { FoldedNode } from '../annotate/fold.ts';
import { type BlockSummary, describeStatus } from './block-table.ts';
import { formatAge, formatBytes, formatCount } from './format.ts';
import type { Style } from './paint.ts';
import { describeOddities, formatPorts, type ShownRow } from './process-table.ts';
import type { TreeLine } from './tree.ts';

/** A block with what is said of it in a tree. */
export interface TreeBlock extends BlockSummary {
  /** Sum over its processes; undefined if unknown. */
  readonly privateBytes: number | undefined;
  readonly oldestAgeMs: number | undefined;
}

/** What a tree is drawn from. */
export interface ProcessTreeInput {
  /** Each block after the one that it is inside of. */
  readonly blocks: readonly TreeBlock[];
  readonly nodes: readonly FoldedNode[];
  /** Adds what each process is to its block. */
  readonly roles: boolean;
  /** True if ports were looked for. */
  readonly ports: boolean;
  readonly unicode: boolean;
}

/**
 * Lines of the tree: each block with its processes below it. A block inside another stands below the process that it hangs
 * on, with all that belongs to it, orphans included.
 */
export function layOutTree(input: ProcessTreeInput): TreeLine[] {
  const blockLines = new Map(input.blocks.map((block) => [block.id, growing(describeBlock(block), 'bold')]));
  const placed = new Set<string>();
  const stack = input.nodes
    .map((node): Pending => ({ node, parent: undefined, parentBlock: undefined, parentCall: undefined }))
    .reverse();
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, parent, parentBlock, parentCall } = next;
    const { blockId } = node.row;
    const block = blockLines.get(blockId);
    const line = growing(describeNode(node, parentCall, input), styleOf(node));
    if (parent !== undefined && parentBlock === blockId) {
      parent.children.push(line);
    } else {
      block?.children.push(line);
      if (parent !== undefined && block !== undefined && !placed.has(blockId)) {
        parent.children.push(block);
        placed.add(blockId);
      }
    }
    const parentOf = { parent: line, parentBlock: blockId, parentCall: node.row.label?.callId };
    for (const child of [...node.children].reverse()) stack.push({ node: child, ...parentOf });
  }
  return placeBlocks(input.blocks, blockLines, placed);
}

interface Pending {
  readonly node: FoldedNode;
  readonly parent: GrowingLine | undefined;
  readonly parentBlock: string | undefined;
  /** The tool call of what stands above. */
  readonly parentCall: string | undefined;
}

interface GrowingLine extends TreeLine {
  readonly children: GrowingLine[];
}

function growing(text: string, style: Style | undefined): GrowingLine {
  return { text, children: [], ...(style !== undefined && { style }) };
}

/** Blocks that hang on no process of their parent stand below its line, the others on top. */
function placeBlocks(
  blocks: readonly TreeBlock[],
  lines: ReadonlyMap<string, GrowingLine>,
  placed: ReadonlySet<string>,
): TreeLine[] {
  const tops: TreeLine[] = [];
  for (const { id, parentId } of blocks) {
    const line = lines.get(id);
    if (line === undefined || placed.has(id)) continue;
    const parent = parentId === undefined ? undefined : lines.get(parentId);
    if (parent === undefined) tops.push(line);
    else parent.children.push(line);
  }
  return tops;
}

function describeBlock(block: TreeBlock): string {
  const { processes, agentStarted, privateBytes, oldestAgeMs } = block;
  const facts = [block.agent, describeStatus(block)];
  const isLeft = block.status === 'leftovers' || block.status === 'wrapper-gone';
  if (processes !== undefined && processes > 0) {
    // The state of what is left tells how many: the command at the end is what a narrow terminal should not cut.
    if (!isLeft) facts.push(`${formatCount(processes, 'process', 'processes')}, ${agentStarted} agent-started`);
    if (privateBytes !== undefined) facts.push(formatBytes(privateBytes));
    if (oldestAgeMs !== undefined) facts.push(`oldest ${formatAge(oldestAgeMs)}`);
  }
  if (isLeft) facts.push(`end it: agentmux kill-tree --block ${block.id}`);
  return `${block.id}: ${facts.filter((fact) => fact !== undefined).join(', ')}`;
}

function describeNode(
  node: FoldedNode,
  parentCall: string | undefined,
  { roles, ports, unicode }: ProcessTreeInput,
): string {
  const { row, count } = node;
  const isFolded = count > 1;
  const shown: ShownRow = { ...row, orphan: node.reparented };
  const facts = [
    isFolded ? `${row.pid} ${unicode ? '×' : 'x'}${count}` : String(row.pid),
    isFolded ? `oldest ${formatAge(node.oldestAgeMs)}` : formatAge(row.ageMs),
    formatBytes(isFolded ? node.privateBytes : row.privateBytes),
    ports && row.listeners?.length ? `:${formatPorts(row).replaceAll(',', ' :')}` : '',
    node.reparented ? 'orphan' : '',
    formatEntries(node),
    describeOddities(shown),
    row.label?.description !== undefined && row.label.callId !== parentCall ? `"${row.label.description}"` : '',
    roles || row.role === 'root' ? row.role : '',
  ];
  return `${facts.filter((fact) => fact !== '').join('  ')}  ${row.command ?? '-'}`;
}

/** Entries of the processes of a line. */
function formatEntries({ rows }: FoldedNode): string {
  return formatIds([...new Set(rows.flatMap(({ entry }) => entry ?? []))]);
}

function styleOf({ row, reparented }: FoldedNode): Style | undefined {
  if (row.role === 'root') return 'cyan';
  if (row.role === 'plumbing') return 'dim';
  return reparented || row.escaped ? 'yellow' : undefined;
}
