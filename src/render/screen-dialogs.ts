import { formatCount } from './format.ts';
import type { Line, LineView } from './screen-line.ts';
import type { ScreenInput } from './screen-types.ts';
import { escapeUntrusted } from './untrusted.ts';

type Dialog = NonNullable<ScreenInput['dialog']>;

/** A dialog as it stands in place of the list: its title, and as much of it as fits. */
export function drawDialog(dialog: Dialog, height: number, view: LineView): { title: string; lines: Line[] } {
  const lines = dialog.type === 'plan' ? planLines(dialog.plan) : helpLines(dialog.lines, view);
  const title = dialog.type === 'plan' ? `${dialog.plan.title}?` : 'keys';
  const shown = lines.slice(dialog.top, dialog.top + height);
  const below = lines.length - dialog.top - shown.length;
  if (below <= 0 || shown.length === 0) return { title, lines: shown };
  const more = { spans: [{ text: `  ${formatCount(below + 1, 'line', 'lines')} more below`, style: 'dim' }] } as const;
  return { title, lines: [...shown.slice(0, -1), more] };
}

/** How many lines the dialog has in all. */
export function dialogLength(dialog: Dialog): number {
  return dialog.type === 'plan' ? planLines(dialog.plan).length : dialog.lines.length;
}

/** What a person must know comes before the list of processes. */
function planLines({ targets, notes }: Extract<Dialog, { type: 'plan' }>['plan']): Line[] {
  return [
    ...notes.map((note): Line => ({ spans: [{ text: `  ! ${escapeUntrusted(note)}`, style: 'yellow' }] })),
    ...targets.map(({ pid, command, ports }): Line => {
      const listening = ports.length === 0 ? '' : `${ports.map((port) => `:${port}`).join(' ')}  `;
      return {
        spans: [
          { text: `${String(pid).padStart(9)}  `, style: 'bold' },
          { text: listening, style: 'green' },
          { text: escapeUntrusted(command) },
        ],
      };
    }),
  ];
}

function helpLines(lines: readonly (readonly [string, string])[], { unicode }: LineView): Line[] {
  return lines.map(([keys, does]) => ({
    spans: [{ text: `  ${asciiKeys(keys, unicode).padEnd(KEYS_WIDTH)}`, style: 'cyan' }, { text: does }],
  }));
}

const KEYS_WIDTH = 16;

function asciiKeys(keys: string, unicode: boolean): string {
  return unicode ? keys : keys.replaceAll(/[↑↓←→]/g, (arrow) => ARROWS[arrow] ?? arrow);
}

const ARROWS: Readonly<Record<string, string>> = { '↑': 'up ', '↓': 'down ', '←': 'left ', '→': 'right ' };
