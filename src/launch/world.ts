import type { Platform } from '../platform/platform.ts';
import type { Store } from '../state/store.ts';

/** What a run needs of the world; the commands' context is one. */
export interface LaunchWorld {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: { write(text: string): void };
  readonly stderr: { write(text: string): void; readonly isTTY: boolean };
  readonly stdinIsTTY: boolean;
  readonly pid: number;
  readonly cwd: string;
  /** Wall clock, ms since the epoch. */
  now(): number;
  readonly platform: Platform;
  /** Opened on first use; throws AgentmuxError where no state can be kept. */
  readonly store: Store;
  /** Why the store that was opened is not in its usual place, one sentence. */
  readonly storeNote?: string | undefined;
  confirm(question: string): Promise<boolean>;
}
