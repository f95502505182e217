import { setFlagsFromString } from 'node:v8';

/**
 * Collects garbage while the heap is small: by default V8 lets a heap grow to several times of what is in use, and each
 * thread has 48 MB for new objects. Measured with the growth alone, on a first sync of 30,000 files: 329 MiB without, 262
 * MiB with it. Call it before threads start.
 */
export function limitHeapGrowth(): void {
  for (const flag of ['--heap-growing-percent=15', '--max-semi-space-size=4']) setFlagsFromString(flag);
}
