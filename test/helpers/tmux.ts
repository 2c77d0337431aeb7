import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Rig } from './cli.ts';
import { waitFor } from './wait-for.ts';

/** True if tmux is here; else skip with `tmuxReason`. */
export const hasTmux = spawnSync('tmux', ['-V']).status === 0;
export const tmuxReason = 'needs tmux to see a screen';

/** A screen with a shell on it: keys in, what a person would read out. */
export class TmuxScreen {
  readonly #socket: string;
  readonly #env: Readonly<Record<string, string>>;

  constructor(rig: Rig, columns: number, rows: number) {
    this.#socket = join(rig.directory, 'tmux.socket');
    this.#env = rig.env;
    onTestFinished(() => void spawnSync('tmux', ['-S', this.#socket, 'kill-server']));
    const size = ['-x', String(columns), '-y', String(rows)];
    this.#tmux(
      '-f',
      '/dev/null',
      'new-session',
      '-d',
      ...size,
      '-c',
      rig.workDirectory,
      "PS1='$ ' bash --norc --noprofile",
    );
  }

  /** The lines of the screen, blanks at their ends cut. */
  get text(): string {
    return this.#tmux('capture-pane', '-p');
  }

  /** A fact of the terminal by its name in tmux(1), e.g. `alternate_on`, `cursor_flag`. */
  fact(name: string): string {
    return this.#tmux('display-message', '-p', `#{${name}}`).trim();
  }

  /** Presses keys by their names in tmux: `Down`, `C-c`, `k`. */
  press(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  /** Types text and Enter. */
  enter(text: string): void {
    this.#tmux('send-keys', '-l', text);
    this.#tmux('send-keys', 'Enter');
  }

  resize(columns: number, rows: number): void {
    this.#tmux('resize-window', '-x', String(columns), '-y', String(rows));
  }

  /** Waits until the screen matches, and returns it. */
  async seen(pattern: RegExp, capMs = 20_000): Promise<string> {
    let last = '';
    return waitFor(
      `${pattern} on the screen`,
      () => {
        last = this.text;
        return pattern.test(last) ? last : undefined;
      },
      capMs,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; it shows:\n${last}`);
    });
  }

  /** Waits until nothing on the screen matches. */
  async unseen(pattern: RegExp, capMs = 20_000): Promise<void> {
    await waitFor(`${pattern} to leave the screen`, () => !pattern.test(this.text), capMs);
  }

  #tmux(...args: string[]): string {
    const { status, stdout, stderr, error } = spawnSync('tmux', ['-S', this.#socket, ...args], {
      encoding: 'utf8',
      // The login shell of a service's user is none.
      env: { ...this.#env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    });
    if (status !== 0) throw error ?? new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  }
}
