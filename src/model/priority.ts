/** What a block's processes may claim of the processors, beside others. */
export type Priority = 'below-normal' | 'normal';

export const priorities: readonly Priority[] = ['below-normal', 'normal'];

/** What became of a change of priority. */
export interface PriorityResult {
  /** Pids of the members that have it now. */
  readonly done: readonly number[];
  /** Pids of those that the system refused, and why (`EACCES`, or a call of Windows with its code). */
  readonly refused: readonly { readonly pid: number; readonly code: string }[];
  /** True if what they start has it too and cannot take it back (a limit of a job). */
  readonly isLimit: boolean;
}

/** Nothing was changed, since nothing is known. */
export const noPriorityChange: PriorityResult = { done: [], refused: [], isLimit: false };
