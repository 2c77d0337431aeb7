import type { BlockRecord, RunExit, RunRecord, TrackerRecord } from '../model/block.ts';
import type { Identity } from '../model/identity.ts';
import type { Store } from '../state/store.ts';
import { withSharedLimits } from '../trackers/job-limits.ts';

/**
 * The block of this run: its record as last written. While we live we alone write its file. A file that cannot be
 * written any more (a full disk) is told once and never ends the agent: the record goes on in memory.
 */
export class RunBlock {
  readonly store: Store;
  readonly #onUnwritable: (error: unknown) => void;
  #record: BlockRecord;

  constructor(store: Store, record: BlockRecord, onUnwritable: (error: unknown) => void) {
    this.store = store;
    this.#record = record;
    this.#onUnwritable = onUnwritable;
  }

  get record(): BlockRecord {
    return this.#record;
  }

  /** This run: the last of the block. */
  get run(): RunRecord {
    const run = this.#record.runs.at(-1);
    if (run === undefined) throw new Error('internal: a block without a run');
    return run;
  }

  setTracker(tracker: TrackerRecord): void {
    // As text, since it is written as such: node:util would load a start more than the comparison costs.
    if (JSON.stringify(tracker) === JSON.stringify(this.#record.tracker)) return;
    this.#write({ ...this.#record, tracker });
  }

  started(root: Identity, tracker: TrackerRecord, callerSids: readonly number[]): void {
    this.#write({ ...this.#record, state: 'running', tracker, runs: this.#withRun({ root, callerSids }) });
  }

  ended(exit: RunExit, endedAtMs: number): void {
    this.#write({ ...this.#record, state: 'ended', runs: this.#withRun({ exit, endedAtMs }) });
  }

  /** Takes back what was written for a run that never came to be. */
  withdraw(before: BlockRecord | undefined): void {
    try {
      if (before === undefined) this.store.remove(this.#record.id);
      else this.store.write(before);
    } catch (error) {
      this.#onUnwritable(error);
    }
  }

  #withRun(change: Partial<RunRecord>): RunRecord[] {
    return [...this.#record.runs.slice(0, -1), { ...this.run, ...change }];
  }

  /** Other commands change the limits of a job, and tell so in the file. */
  #withShared(record: BlockRecord): BlockRecord {
    if (record.tracker.job === undefined) return record;
    return { ...record, tracker: withSharedLimits(record.tracker, this.store.read(record.id)?.tracker) };
  }

  #write(record: BlockRecord): void {
    this.#record = record;
    try {
      this.#record = this.#withShared(record);
      this.store.write(this.#record);
    } catch (error) {
      this.#onUnwritable(error);
    }
  }
}
