/**
 * Dot products with the processor's vector instructions, which JavaScript cannot use: five times as fast. `dots.wat` is the
 * source of these 260 bytes; `npx --package=wabt wat2wasm dots.wat --output=- | base64` makes them.
 */
const DOTS =
  'AGFzbQEAAAABCQFgBX9/f39/AAINAQFlBm1lbW9yeQIAAQMCAQAHCAEEZG90cwAACtEBAc4BAgN/AnsgA0ECdCEHIAQgAkECdGohBQJAA0AgBCAFTw0BQQAh' +
  'Bv0MAAAAAAAAAAAAAAAAAAAAACEI/QwAAAAAAAAAAAAAAAAAAAAAIQkDQCAIIAAgBmr9AAQAIAEgBmr9AAQA/eYB/eQBIQggCSAAIAZq/QAEECABIAZq/QAE' +
  'EP3mAf3kASEJIAZBIGohBiAGIAdJDQALIAggCf3kASEIIAQgCP0fACAI/R8BkiAI/R8CIAj9HwOSkjgCACABIAdqIQEgBEEEaiEEDAALCws=';
const LANES = 8;
const BYTES = Float32Array.BYTES_PER_ELEMENT;
const PAGE_BYTES = 65_536;

type Dots = (query: number, vectors: number, count: number, length: number, out: number) => void;

/** What is used of it: its types come with those of browsers only. */
interface Engine {
  Module: new (bytes: Uint8Array) => object;
  Memory: new (size: { initial: number }) => { buffer: ArrayBuffer };
  Instance: new (module: object, imports: { e: { memory: object } }) => { exports: { dots: Dots } };
}
const { Module, Memory, Instance } = (globalThis as unknown as { WebAssembly: Engine }).WebAssembly;
let compiled: object | null = null;

/** Vectors of one length, and the dot products of a query with all of them. */
export class VectorBlock {
  private readonly floats: Float32Array;
  private readonly dots: Dots;
  /** Padded with zeros to a multiple of what one step reads. */
  private readonly length: number;
  private readonly queryAt: number;

  constructor(
    dimensions: number,
    private readonly capacity: number,
  ) {
    this.length = Math.ceil(dimensions / LANES) * LANES;
    this.queryAt = capacity * this.length;
    const bytes = (this.queryAt + this.length + capacity) * BYTES;
    // The system gives it real memory where it is written.
    const memory = new Memory({ initial: Math.ceil(bytes / PAGE_BYTES) });
    compiled ??= new Module(Buffer.from(DOTS, 'base64'));
    this.dots = new Instance(compiled, { e: { memory } }).exports.dots;
    this.floats = new Float32Array(memory.buffer);
  }

  set(place: number, vector: Float32Array): void {
    this.floats.set(vector, place * this.length);
  }

  /** The products with the first `count` vectors. Valid until the next call. */
  products(query: Float32Array, count: number): Float32Array {
    const { queryAt, length, capacity } = this;
    const out = queryAt + length;
    this.floats.set(query, queryAt);
    this.dots(queryAt * BYTES, 0, Math.min(count, capacity), length, out * BYTES);
    return this.floats.subarray(out, out + count);
  }
}
