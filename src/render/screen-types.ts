import type { Entry } from '../model/entry.ts';
import type { BlockSummary } from './block-table.ts';
import type { ShownRow } from './process-table.ts';

/**
 * The nouns of the live view: what `agentmux watch` shows of the machine, and what its screen is drawn from. All texts
 * are untrusted until screen-line.ts has them.
 */

/** When something came and went, as the view saw it, ms since the epoch. */
export interface Lifetime {
  /** Undefined for what was there when the view began. */
  readonly seenAtMs: number | undefined;
  /** Undefined while it lives. */
  readonly goneAtMs: number | undefined;
}

/** A process of a block. */
export interface WatchRow extends ShownRow, Lifetime {
  /** Percent of one core since the last look; before there were two the average since its start. */
  readonly cpuNowPercent: number | undefined;
}

/** A block with what it costs now. */
export interface WatchBlock extends BlockSummary, Lifetime {
  readonly cpuNowPercent: number | undefined;
  readonly privateBytes: number | undefined;
  /** True if the sum is a lower bound. */
  readonly memoryIsPartial: boolean;
  readonly ports: readonly number[] | undefined;
  /** True if all of it was put to sleep, by the kernel's freezer or by STOP. */
  readonly frozen: boolean;
  /** How many background and detached things run; undefined where that is not known. */
  readonly entries: number | undefined;
  /** Command line, directory and terminal of the last run. */
  readonly argv: readonly string[];
  readonly cwd: string | undefined;
  readonly tty: string | undefined;
}

/** A background or detached thing of an agent. */
export interface WatchEntry extends Entry, Lifetime {}

/** One line of the list in the middle of the screen. */
export type ListItem =
  | {
      readonly type: 'process';
      /** The same for the same thing at every look. */
      readonly key: string;
      /** What is drawn before the command: the branches of a tree, or nothing. */
      readonly branch: string;
      readonly row: WatchRow;
      /** All processes of the line, several where equal ones are folded. */
      readonly rows: readonly WatchRow[];
      /** How many lines are folded below this one. */
      readonly hidden: number;
      /** False for what a filter left only to show the place of what matches. */
      readonly isMatch: boolean;
    }
  | { readonly type: 'entry'; readonly key: string; readonly entry: WatchEntry };

/** What a kill would end, as the dialog shows it. */
export interface WatchPlan {
  /** A sentence without its question mark: `End 3 processes of claude-k3f9`. */
  readonly title: string;
  readonly targets: readonly { readonly pid: number; readonly command: string; readonly ports: readonly number[] }[];
  /** What the user should know before: other blocks that end too, what is left alone. */
  readonly notes: readonly string[];
}

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** All that one frame is drawn from. */
export interface ScreenInput {
  readonly size: ScreenSize;
  /** Wall clock of the frame, ms since the epoch. */
  readonly nowMs: number;
  readonly blocks: readonly WatchBlock[];
  readonly blocksTop: number;
  /** Index of the selected block; -1 for none. */
  readonly block: number;
  readonly focus: 'blocks' | 'list';
  readonly items: readonly ListItem[];
  readonly itemsTop: number;
  /** Index of the selected line; -1 for none. */
  readonly item: number;
  /** How the list was made, for its title: `tree, agent-started, by age`. */
  readonly listTitle: string;
  /** Said where the list is empty. */
  readonly emptyText: string;
  /** True if members that an agent did not start are listed too. */
  readonly all: boolean;
  readonly dialog:
    | undefined
    | { readonly type: 'plan'; readonly plan: WatchPlan; readonly top: number }
    | {
        readonly type: 'help';
        readonly lines: readonly (readonly [keys: string, does: string])[];
        readonly top: number;
      };
  readonly footer:
    | { readonly type: 'keys'; readonly hints: readonly (readonly [key: string, does: string])[] }
    | { readonly type: 'message'; readonly text: string; readonly isWarning: boolean }
    | { readonly type: 'input'; readonly label: string; readonly text: string };
}
