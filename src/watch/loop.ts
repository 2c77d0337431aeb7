import { diffFrames } from '../render/screen-diff.ts';
import type { LineView } from '../render/screen-line.ts';
import { sharePanes } from '../render/screen-panes.ts';
import type { Lifetime, WatchPlan } from '../render/screen-types.ts';
import type { Attention } from './block-observer.ts';
import type { Effect } from './effects.ts';
import { drawState } from './frame.ts';
import { decodeKeys } from './keys.ts';
import type { Observation } from './observation.ts';
import { handleSignals, stopOurselves } from './signals.ts';
import { createState, type KillRequest, type WatchState } from './state.ts';
import type { WatchTerminal } from './terminal.ts';
import { update, type WatchEvent } from './update.ts';

/** What became of something that was asked for, for the bottom of the screen. */
export interface Outcome {
  readonly text: string;
  readonly isWarning: boolean;
}

/** What the keys can do to the world. All but `kill` answer at once; errors that are expected come back as outcomes. */
export interface WatchActions {
  plan(request: KillRequest): WatchPlan | Outcome;
  kill(request: KillRequest, onProgress: (text: string) => void): Promise<Outcome>;
  freeze(blockId: string, frozen: boolean): Outcome;
}

export interface LoopOptions {
  readonly terminal: WatchTerminal;
  readonly view: Omit<LineView, 'columns'>;
  /** Between two looks, ms. */
  readonly intervalMs: number;
  readonly all: boolean;
  now(): number;
  observe(attention: Attention): Observation;
  /** Makes the next look a full one. */
  expectChange(): void;
  readonly actions: WatchActions;
}

/** Why the view ended: undefined for `q`, else the signal of which the process is to die. */
export type Ending = NodeJS.Signals | undefined;

/** Runs the view until it is left. Rejects with what went wrong inside; the terminal is as it was before in any case. */
export function runWatch(options: LoopOptions): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const loop = new WatchLoop(options, { resolve, reject });
    loop.start();
  });
}

/** A lone escape character is a key when nothing follows within this time, ms. */
const ESCAPE_MS = 40;
/** So long the ages on the screen may lag behind while nothing else changes, ms. */
const AGES_MS = 9000;
/** A little longer than something is marked as new. */
const MARK_MS = 15_000;

class WatchLoop {
  readonly #options: LoopOptions;
  readonly #settled: { resolve(ending: Ending): void; reject(error: unknown): void };
  readonly #unhandle: () => void;
  #state: WatchState;
  #frame: readonly string[] | undefined;
  #last: Observation | undefined;
  #tick: NodeJS.Timeout | undefined;
  #escape: NodeJS.Timeout | undefined;
  #pending = '';
  #isOver = false;
  #isStopped = false;
  #kills = 0;
  /** The signal that came while a kill was under way. */
  #ending: Ending;

  constructor(options: LoopOptions, settled: { resolve(ending: Ending): void; reject(error: unknown): void }) {
    this.#options = options;
    this.#settled = settled;
    const { terminal, view, all } = options;
    this.#state = createState({ size: terminal.size, unicode: view.unicode, nowMs: options.now(), all });
    this.#unhandle = handleSignals({
      end: (signal) => this.#endBy(signal),
      stop: this.#stop,
      resume: () => this.#guard(() => this.#resume()),
      crash: (error) => this.#fail(error),
      exit: () => terminal.leave(),
    });
  }

  start(): void {
    const { terminal } = this.#options;
    this.#guard(() => {
      terminal.onInput((text) => this.#guard(() => this.#read(text)));
      terminal.onResize(() => this.#guard(() => this.#dispatch([{ type: 'resized', size: terminal.size }])));
      terminal.enter();
      this.#look();
    });
  }

  #look(): void {
    const observation = this.#options.observe(this.#attention());
    const { atMs } = observation;
    const isSame = observation.blocks === this.#last?.blocks && observation.rows === this.#last?.rows;
    this.#last = observation;
    // Where nothing but the ages changed they may lag for a while: drawing is the dearest part of an idle view.
    const isStill = isSame && this.#state.message === undefined && !hasMarks(this.#state.observation, atMs);
    if (!isStill) this.#dispatch([{ type: 'observed', observation }]);
    else if (atMs - this.#state.nowMs >= AGES_MS) this.#dispatch([{ type: 'clock', nowMs: atMs }]);
    this.#schedule(this.#options.intervalMs);
  }

  #schedule(ms: number): void {
    clearTimeout(this.#tick);
    if (this.#isOver || this.#isStopped) return;
    this.#tick = setTimeout(() => this.#guard(() => this.#look()), ms);
  }

  /** The rows on the screen; where the order depends on numbers all of them decide who is on it. */
  #attention(): Attention {
    const { items, itemsTop, itemKey, size, observation, sort, view } = this.#state;
    const isByNumbers = view !== 'entries' && (sort === 1 || sort === 2);
    const height = sharePanes(size.rows, observation.blocks.length).list;
    const shown = items.slice(itemsTop, itemsTop + height).flatMap((item) => (item.type === 'process' ? item.key : []));
    return { rows: isByNumbers ? 'all' : new Set(shown), selected: itemKey };
  }

  #read(text: string): void {
    clearTimeout(this.#escape);
    this.#decode(this.#pending + text, false);
    if (this.#pending !== '' && !this.#isOver) {
      this.#escape = setTimeout(() => this.#guard(() => this.#decode(this.#pending, true)), ESCAPE_MS);
    }
  }

  #decode(text: string, isAll: boolean): void {
    const { keys, rest } = decodeKeys(text, isAll);
    this.#pending = rest;
    const clock = { type: 'clock', nowMs: this.#options.now() } as const;
    this.#dispatch([clock, ...keys.map((key): WatchEvent => ({ type: 'key', key }))]);
  }

  #dispatch(events: readonly WatchEvent[]): void {
    for (const event of events) {
      if (this.#isOver) return;
      const { state, effects } = update(this.#state, event);
      this.#state = state;
      for (const effect of effects) this.#carryOut(effect);
    }
    this.#draw();
  }

  #draw(): void {
    if (this.#isOver || this.#isStopped) return;
    const frame = drawState(this.#state, this.#options.view);
    const text = diffFrames(this.#frame, frame);
    this.#frame = frame;
    if (text !== '') this.#options.terminal.write(text);
  }

  #carryOut(effect: Effect): void {
    const { actions } = this.#options;
    switch (effect.type) {
      case 'quit':
        this.#end(undefined);
        return;
      case 'interrupt':
        this.#end('SIGINT');
        return;
      case 'suspend':
        this.#stop();
        return;
      case 'redraw':
        this.#frame = undefined;
        return;
      case 'plan': {
        const plan = actions.plan(effect.request);
        this.#dispatch([
          'targets' in plan ? { type: 'planned', plan, request: effect.request } : { type: 'told', ...plan },
        ]);
        return;
      }
      case 'kill':
        void this.#kill(effect.request);
        return;
      case 'freeze':
        this.#dispatch([{ type: 'told', ...actions.freeze(effect.blockId, effect.frozen) }]);
        this.#lookSoon();
        return;
    }
  }

  async #kill(request: KillRequest): Promise<void> {
    this.#kills += 1;
    try {
      const outcome = await this.#options.actions.kill(request, (text) => {
        this.#guard(() => this.#dispatch([{ type: 'busy', text }]));
      });
      this.#guard(() => this.#dispatch([{ type: 'done', ...outcome }]));
      this.#lookSoon();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#kills -= 1;
    }
    if (this.#ending !== undefined) this.#end(this.#ending);
  }

  /** What was done just now must show at once. */
  #lookSoon(): void {
    this.#options.expectChange();
    this.#schedule(0);
  }

  /** Gives the terminal back, stops, and takes it again when we go on. */
  readonly #stop = (): void => {
    if (this.#isStopped || this.#isOver) return;
    this.#isStopped = true;
    clearTimeout(this.#tick);
    this.#options.terminal.leave();
    stopOurselves(this.#stop).then(
      () => this.#guard(() => this.#resume()),
      (error: unknown) => this.#fail(error),
    );
  };

  /** After a STOP from outside the terminal is as we left it, but the shell has written on it. */
  #resume(): void {
    if (this.#isOver) return;
    const { terminal } = this.#options;
    this.#isStopped = false;
    terminal.leave();
    terminal.enter();
    this.#frame = undefined;
    this.#dispatch([{ type: 'resized', size: terminal.size }]);
    this.#schedule(0);
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#fail(error);
    }
  }

  #fail(error: unknown): void {
    if (this.#close()) this.#settled.reject(error);
  }

  /** A kill that stopped half-way would leave what only KILL ends: its shell may hang up on us for it. */
  #endBy(signal: NodeJS.Signals): void {
    if (this.#kills === 0 || signal === 'SIGINT') this.#end(signal);
    else this.#ending = signal;
  }

  #end(ending: Ending): void {
    if (this.#close()) this.#settled.resolve(ending);
  }

  #close(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#tick);
    clearTimeout(this.#escape);
    this.#options.terminal.leave();
    this.#options.terminal.close();
    this.#unhandle();
    return true;
  }
}

/** True if something is marked as new or as gone, which ends by itself. */
function hasMarks({ blocks, rows, entries }: Observation, nowMs: number): boolean {
  const lists: (readonly Lifetime[])[] = [blocks, ...rows.values(), ...(entries?.values() ?? [])];
  return lists.some((list) =>
    list.some(({ seenAtMs = 0, goneAtMs }) => goneAtMs !== undefined || nowMs - seenAtMs < MARK_MS),
  );
}
