const BYTES = Float32Array.BYTES_PER_ELEMENT;

/** 32-bit floats, little-endian on disk on every machine. */
export function bytesOfVector(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length * BYTES);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * BYTES));
  return bytes;
}

export function vectorOfBytes(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / BYTES }, (_, index) => bytes.readFloatLE(index * BYTES));
}

/** Dot product with a stored vector, without decoding it first: a search does this for each point. */
export function dotWithBytes(vector: Float32Array, bytes: Buffer): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let sum = 0;
  for (let index = 0; index < vector.length; index++) {
    sum += (vector[index] ?? 0) * view.getFloat32(index * BYTES, true);
  }
  return sum;
}
