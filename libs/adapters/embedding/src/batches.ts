/** Splits into runs of at most `maxCount` texts and, unless a single text is longer, `maxBytes` UTF-8 bytes. */
export function toBatches(texts: readonly string[], maxCount: number, maxBytes: number): string[][] {
  const batches: string[][] = [];
  let batch: string[] = [];
  let batchBytes = 0;
  for (const text of texts) {
    const bytes = Buffer.byteLength(text);
    if (batch.length > 0 && (batch.length === maxCount || batchBytes + bytes > maxBytes)) {
      batches.push(batch);
      batch = [];
      batchBytes = 0;
    }
    batch.push(text);
    batchBytes += bytes;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}

/**
 * The first half of a text that was too long, or undefined when it has no more than `floorBytes`. A token is at least
 * one byte, so a text of as many bytes as the model takes tokens cannot be too long.
 */
export function shorten(text: string, floorBytes: number): string | undefined {
  if (Buffer.byteLength(text) <= floorBytes) return undefined;
  return wellFormed(text.slice(0, Math.ceil(text.length / 2)));
}

/** Servers refuse empty input, and some fall over half a surrogate pair; neither may fail a run. */
export function toInput(text: string): string {
  return text.trim() === '' ? '(blank)' : wellFormed(text);
}

function wellFormed(text: string): string {
  return Buffer.from(text).toString();
}
