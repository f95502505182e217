/** Milliseconds that never go backwards, the same in every thread of this process (`performance.now()` is not). */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** An instant that one thread writes and another reads at once, also while either is busy. */
export class SharedInstant {
  private readonly cell: BigInt64Array;

  /** @param buffer of a {@link SharedInstant} of another thread; new when left out. */
  constructor(readonly buffer: SharedArrayBuffer = new SharedArrayBuffer(8)) {
    this.cell = new BigInt64Array(buffer);
  }

  set(atMs: number): void {
    Atomics.store(this.cell, 0, BigInt(atMs));
  }

  get(): number {
    return Number(Atomics.load(this.cell, 0));
  }
}
