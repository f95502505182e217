import { RepotideError } from '@core/domain';

export function answerInvalid(found: string): RepotideError {
  const message = `The embedding server's answer cannot be used: ${found}. Expected one vector of finite numbers per text; check that EMBEDDING_URL and EMBEDDING_MODEL name an embedding model.`;
  return new RepotideError('internal', 'embedding_answer_invalid', message);
}

/**
 * Checks one vector of an answer: stored unchecked, a vector with a hole in it would match nothing or everything.
 * @throws invalid `embedding_dimension_mismatch`; internal `embedding_answer_invalid`.
 */
export function toVector(values: unknown, expected: number, model: string): Float32Array {
  if (!Array.isArray(values)) throw answerInvalid('a vector is not a list');
  if (values.length !== expected) throw dimensionMismatch(values.length, expected, model);
  const vector = new Float32Array(expected);
  let isZero = true;
  for (const [position, value] of (values as unknown[]).entries()) {
    if (typeof value !== 'number')
      throw answerInvalid(`a vector holds ${value === null ? 'null' : typeof value}`);
    vector[position] = value;
    const stored = vector[position];
    // Judged as stored: what overflows or vanishes in 32 bits is no better than what came so.
    if (!Number.isFinite(stored)) throw answerInvalid('a vector holds a number that is not finite');
    if (stored !== 0) isZero = false;
  }
  if (isZero) throw answerInvalid('a vector is all zero');
  return vector;
}

function dimensionMismatch(found: number, expected: number, model: string): RepotideError {
  const message = `The embedding server's vectors for the model ${model} do not fit: found ${found} dimensions, expected ${expected}. Set EMBEDDING_DIMENSIONS=${found} to use them as they are (everything is then embedded again), or choose a model that gives ${expected}.`;
  return new RepotideError('invalid', 'embedding_dimension_mismatch', message, {
    details: { found_dimensions: found, expected_dimensions: expected, setting: 'EMBEDDING_DIMENSIONS' },
  });
}
