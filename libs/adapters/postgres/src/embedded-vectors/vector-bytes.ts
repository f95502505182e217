import { endianness } from 'node:os';
import { type Terms } from '@core/domain';

const BYTES = Float32Array.BYTES_PER_ELEMENT;
/** Then the bytes in memory are those on disk. */
const IS_LITTLE_ENDIAN = endianness() === 'LE';

/** 32-bit floats, little-endian on disk on every machine. The bytes may be those of the vector, which must not change. */
export function bytesOfVector(vector: Float32Array): Buffer {
  if (IS_LITTLE_ENDIAN) return bytesOf(vector);
  const bytes = Buffer.alloc(vector.length * BYTES);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * BYTES));
  return bytes;
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array | Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

export function vectorOfBytes(bytes: Buffer): Float32Array {
  // A copy: the bytes may begin anywhere.
  if (IS_LITTLE_ENDIAN) return new Float32Array(new Uint8Array(bytes).buffer);
  return Float32Array.from({ length: bytes.length / BYTES }, (_, index) => bytes.readFloatLE(index * BYTES));
}

/** The ids, then the weights; both have 4 bytes. */
export function bytesOfTerms({ ids, weights }: Terms): Buffer {
  if (IS_LITTLE_ENDIAN) return Buffer.concat([bytesOf(ids), bytesOf(weights)]);
  const bytes = Buffer.alloc(2 * BYTES * ids.length);
  ids.forEach((id, index) => bytes.writeUInt32LE(id, index * BYTES));
  weights.forEach((weight, index) => bytes.writeFloatLE(weight, (ids.length + index) * BYTES));
  return bytes;
}

export function termsOfBytes(bytes: Buffer): Terms {
  const length = bytes.length / BYTES / 2;
  const ids = IS_LITTLE_ENDIAN
    ? new Uint32Array(new Uint8Array(bytes.subarray(0, length * BYTES)).buffer)
    : Uint32Array.from({ length }, (_, index) => bytes.readUInt32LE(index * BYTES));
  return { ids, weights: vectorOfBytes(bytes.subarray(length * BYTES)) };
}
