/** Milliseconds that never go backwards; unlike `performance.now()`, the same in all threads of this process. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** An instant that one thread writes and another reads, even while the writer is blocked. */
export class SharedInstant {
  private readonly cell: BigInt64Array;

  /** @param buffer from another thread; default: a new one. */
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
