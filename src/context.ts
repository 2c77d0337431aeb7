import type { Platform } from './platform/platform.ts';
import type { Store } from './state/store.ts';

/** A byte sink that ends quietly when its reader has gone. */
export interface Output {
  write(text: string): void;
  /** False once its reader has gone. */
  readonly isOpen: boolean;
  readonly isTTY: boolean;
  /** Columns of the terminal; undefined off one. */
  readonly columns: number | undefined;
  /** Colour level for this stream, 0 to 3, by NO_COLOR, FORCE_COLOR, TERM and isTTY. */
  readonly colorLevel: 0 | 1 | 2 | 3;
}

/**
 * What commands get of the world, lazily: the only reader of process.env and process.platform.
 * Tests make one of plain objects.
 */
export interface Context {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly stdinIsTTY: boolean;
  /** True if who reads us understands more than ASCII. */
  readonly unicode: boolean;
  readonly pid: number;
  readonly cwd: string;
  /** Wall clock, ms since the epoch. */
  now(): number;
  /** Opened on first use. */
  readonly platform: Platform;
  /** Opened on first use; throws AgentmuxError if the directory is not to be trusted. */
  readonly store: Store;
  /** Why the store that was opened is not in its usual place, one sentence. */
  readonly storeNote?: string | undefined;
  /** Asks a yes/no question on the terminal; false off one. */
  confirm(question: string): Promise<boolean>;
  /** What the command ended with; main.ts makes it the exit code. */
  exitCode: number;
}
