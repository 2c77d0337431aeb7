const cell = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps for some ms without running anything else: for short waits on the kernel within a synchronous call. */
export function pause(ms: number): void {
  Atomics.wait(cell, 0, 0, ms);
}
