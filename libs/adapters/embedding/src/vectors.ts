import { answerInvalid, dimensionMismatch } from './openai-errors.js';

/** Splits texts into batches of at most `maxCount` texts and `maxBytes` UTF-8 bytes; a longer text is alone in its batch. */
export function toBatches(texts: readonly string[], maxCount: number, maxBytes: number): string[][] {
  const batches: string[][] = [];
  let bytes = Infinity;
  for (const text of texts) {
    const size = Buffer.byteLength(text);
    if (bytes + size > maxBytes || batches.at(-1)!.length === maxCount) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)!.push(text);
    bytes += size;
  }
  return batches;
}

/** Servers refuse empty input, and some crash on half a surrogate pair. */
export function toInput(text: string): string {
  return text.trim() === '' ? '(blank)' : text.toWellFormed();
}

/**
 * Checks one vector of an answer.
 * @param expected its length; null: any.
 * @throws invalid `embedding_dimension_mismatch`; internal `embedding_answer_invalid`.
 */
export function toVector(values: unknown, expected: number | null, model: string): Float32Array {
  if (!Array.isArray(values)) throw answerInvalid('a vector is not a list');
  if (values.length === 0) throw answerInvalid('a vector is empty');
  if (expected !== null && values.length !== expected)
    throw dimensionMismatch(values.length, expected, model);
  const vector = new Float32Array(values.length);
  let isZero = true;
  // Not `for of`, which makes an object for each number.
  for (let index = 0; index < vector.length; index++) {
    const value: unknown = values[index];
    if (typeof value !== 'number')
      throw answerInvalid(`a vector holds ${value === null ? 'null' : typeof value}`);
    vector[index] = value;
    // Read again: a number may overflow or become zero in 32 bits.
    const stored = vector[index]!;
    if (!Number.isFinite(stored)) throw answerInvalid('a vector holds a number that is not finite');
    if (stored !== 0) isZero = false;
  }
  if (isZero) throw answerInvalid('a vector is all zero');
  return vector;
}
