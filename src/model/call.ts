/**
 * One tool call of an agent that started a shell, as far as it is known; it labels every process of its tree. All texts
 * are the agent's: untrusted.
 */
export interface Call {
  /** The agent's id of the call; undefined if none was told, or if two equal calls ran at once and cannot be told apart. */
  readonly toolId: string | undefined;
  /** What the agent said it is for, trimmed, at most 200 characters. */
  readonly description: string | undefined;
  /** As the agent wrote it. */
  readonly command: string | undefined;
  /** The shell of the call. */
  readonly pid: number | undefined;
  readonly startTicks: number | undefined;
  /** The session that the agent made for it; the pid again, where the shell leads it. */
  readonly sid: number | undefined;
  /** The agent's own session. */
  readonly sessionId: string | undefined;
  /** True if the agent asked for a background task; one that it moved there later is not told. */
  readonly background: boolean | undefined;
  /** When it started (the shell, else the report), ms since the epoch. */
  readonly atMs: number | undefined;
}

/** The longest description that is kept, in characters. */
export const maxDescription = 200;
