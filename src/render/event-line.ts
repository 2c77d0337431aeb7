import { describeStatus } from './block-table.ts';
import { formatTime } from './format.ts';
import type { WatchBlock, WatchEntry, WatchRow } from './screen-types.ts';
import { escapeUntrusted } from './untrusted.ts';

/** What an event tells, for people. */
export type EventSubject =
  | { readonly block: WatchBlock }
  | { readonly row: WatchRow }
  | { readonly blockId: string; readonly entry: WatchEntry };

/** One line: when, what, in which block, and whom it is about. */
export function renderEventLine(atMs: number, type: string, subject: EventSubject): string {
  return `${formatTime(atMs)}  ${type.padEnd(TYPE_WIDTH)}  ${escapeUntrusted(describe(subject))}\n`;
}

const TYPE_WIDTH = 'process-exited'.length;

function describe(subject: EventSubject): string {
  if ('block' in subject) {
    const { block } = subject;
    return `${block.id}  ${block.agent ?? '-'}, ${block.frozen ? 'frozen' : describeStatus(block)}`;
  }
  if ('entry' in subject) {
    const { blockId, entry } = subject;
    return `${blockId}  ${entry.id}  ${entry.status}, ${entry.source}${portsOf(entry.ports)}  ${entry.command}`;
  }
  const { row } = subject;
  return `${row.blockId}  ${row.pid}${portsOf((row.listeners ?? []).map(({ port }) => port))}  ${row.command ?? '-'}`;
}

function portsOf(ports: readonly number[]): string {
  return [...new Set(ports)].map((port) => ` :${port}`).join('');
}
