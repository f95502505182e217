/**
 * Dot products with the processor's vector instructions, which JavaScript cannot use: five times as fast. `dots.wat` is the
 * source of these 425 bytes; `npx --package=wabt wat2wasm dots.wat --output=- | base64` makes them.
 */
const DOTS =
  'AGFzbQEAAAABEwJgA39/fwF9YAh/f39/f319fwACDQEBZQZtZW1vcnkCAAEDAwIAAQcQAgNkb3QAAAZib3VuZHMAAQrjAgJ2AgJ/AnsgAkECdCEEA0AgBSAAIANq' +
  '/QAEACABIANq/QAEAP3mAf3kASEFIAYgACADav0ABBAgASADav0ABBD95gH95AEhBiADQSBqIQMgAyAESQ0ACyAFIAb95AEhBSAF/R8AIAX9HwGSIAX9HwIgBf0f' +
  'A5KSC+kBAgN/A3sgByADQQJ0aiEIAkADQCAHIAhPDQFBACEJIAAhCv0MAAAAAAAAAAAAAAAAAAAAACEM/QwAAAAAAAAAAAAAAAAAAAAAIQ0DQCABIAlq/QAEACEL' +
  'IAwgCv0ABAAgC/2HAf26Af2uASEMIA0gCv0ABBAgC/2IAf26Af2uASENIApBIGohCiAJQRBqIQkgCSAESQ0ACyAMIA39rgEhDCAHIAUgAioCAJQgDP0bACAM/RsB' +
  'aiAM/RsCIAz9GwNqarKUIAIqAgQgBpKSOAIAIAEgBGohASACQQhqIQIgB0EEaiEHDAALCws=';
/** What one step of both functions reads. */
const LANES = 16;
const PAGE_BYTES = 65_536;

interface Dots {
  dot(query: number, vector: number, length: number): number;
  bounds(
    ...places: [
      ...[query: number, codes: number, points: number, count: number, length: number],
      ...[step: number, slack: number, out: number],
    ]
  ): void;
}

/** What is used of it: its types come with those of browsers only. */
interface Engine {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: { e: { memory: object } }) => { exports: Dots };
}
const { Module, Memory, Instance } = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
let compiled: object | null = null;

interface Scale {
  step: number;
  error: number;
}

const MOST_OF_POINTS = 127;
/** Rounding of all 32-bit floats on the way to a product and to its bound, for vectors of length 1; generously. */
const ROUNDING = 2 ** -23;

/**
 * Vectors of one length, at most 1, and the dot products of a query with them. Each vector is kept twice: as floats, and in a
 * byte per number with the length of what the bytes lose. The bytes are read four times as fast, and bound each product.
 */
export class VectorBlock {
  private readonly dots: Dots;
  /** Padded with zeros to a multiple of what one step reads. */
  private readonly length: number;
  private readonly mostOfQuery: number;
  private readonly floats: Float32Array;
  private readonly codes: Int8Array;
  /** Of each point its step and its error. */
  private readonly points: Float32Array;
  private readonly query: Float32Array;
  private readonly queryCodes: Int16Array;
  private readonly out: Float32Array;

  constructor(dimensions: number, capacity: number) {
    const length = Math.ceil(dimensions / LANES) * LANES;
    this.length = length;
    // A sum of products never leaves 32 bits.
    this.mostOfQuery = Math.min(2 ** 15 - 1, Math.floor((2 ** 31 - 1) / (MOST_OF_POINTS * length)));
    const bytes = capacity * (5 * length + 12) + 6 * length;
    // The system gives it real memory where it is written.
    const memory = new Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    compiled ??= new Module(Buffer.from(DOTS, 'base64'));
    this.dots = new Instance(compiled, { e: { memory } }).exports;
    const { buffer } = memory;
    this.floats = new Float32Array(buffer, 0, capacity * length);
    this.query = new Float32Array(buffer, endOf(this.floats), length);
    this.points = new Float32Array(buffer, endOf(this.query), 2 * capacity);
    this.out = new Float32Array(buffer, endOf(this.points), capacity);
    this.queryCodes = new Int16Array(buffer, endOf(this.out), length);
    this.codes = new Int8Array(buffer, endOf(this.queryCodes), capacity * length);
  }

  set(place: number, vector: Float32Array): void {
    const start = place * this.length;
    this.floats.set(vector, start);
    const { step, error } = encode(vector, this.codes.subarray(start, start + this.length), MOST_OF_POINTS);
    this.points.set([step, error], 2 * place);
  }

  /**
   * What the products of the query with the first `count` vectors are at most. Valid until the next call.
   * @param query its length is at most 1.
   */
  bounds(query: Float32Array, count: number): Float32Array {
    this.query.set(query);
    const { step, error } = encode(query, this.queryCodes, this.mostOfQuery);
    // Twice: the codes of a point may be a longer vector than the point.
    const slack = 2 * error + this.length * ROUNDING;
    const places = [this.queryCodes, this.codes, this.points].map(({ byteOffset }) => byteOffset);
    const [ofQuery, ofCodes, ofPoints] = places as [number, number, number];
    this.dots.bounds(ofQuery, ofCodes, ofPoints, count, this.length, step, slack, this.out.byteOffset);
    return this.out.subarray(0, count);
  }

  /** The product of a vector with the query of the last `bounds`. */
  product(place: number): number {
    const { dots, query, floats, length } = this;
    return dots.dot(query.byteOffset, floats.byteOffset + place * length * floats.BYTES_PER_ELEMENT, length);
  }
}

function endOf({ byteOffset, byteLength }: Float32Array | Int16Array): number {
  return byteOffset + byteLength;
}

/**
 * Writes a vector in whole numbers: vector = step * codes + a rest whose length is `error`.
 * @param most the largest code.
 */
function encode(vector: Float32Array, codes: Int8Array | Int16Array, most: number): Scale {
  let largest = 0;
  for (let index = 0; index < vector.length; index++) largest = Math.max(largest, Math.abs(vector[index]!));
  // The same 32-bit float that products are scaled by.
  const step = Math.fround(largest / most);
  const perStep = step === 0 ? 0 : 1 / step;
  let rest = 0;
  for (let index = 0; index < vector.length; index++) {
    const value = vector[index]!;
    const code = Math.round(value * perStep);
    codes[index] = code;
    rest += (value - step * code) ** 2;
  }
  return { step, error: Math.sqrt(rest) };
}
