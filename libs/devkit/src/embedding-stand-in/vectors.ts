import { createHash } from 'node:crypto';

/**
 * A vector of length 1 that depends only on the model's name and the text, so tests can compute the expected value. Fewer
 * dimensions give the first numbers of the longer vector, scaled back to length 1, as OpenAI does it.
 */
export function embeddingOf(model: string, text: string, dimensions: number): Float32Array {
  const seed = createHash('sha256').update(model).update('\0').update(text).digest();
  const vector = new Float32Array(dimensions);
  let state = seed.readUInt32LE(0) | 1;
  let squares = 0;
  for (let index = 0; index < dimensions; index += 1) {
    // xorshift32, mixed with the whole digest, so that the sequences of two texts with an equal state diverge again.
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const value = (state ^ seed.readInt32LE((index % 8) * 4)) / 2 ** 31;
    vector[index] = value;
    squares += value * value;
  }
  const length = Math.sqrt(squares);
  return vector.map((value) => value / length);
}

/** Little-endian 32-bit floats, as in `encoding_format: base64`. */
export function toBase64(vector: Float32Array): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString('base64');
}
