import { gitEndedEarly } from './run-git.js';

const LONGEST_LINE = 4096;

/** Reads lines and blocks of known length from a stream, which waits meanwhile. */
export class ByteReader {
  #chunk: Buffer = Buffer.alloc(0);
  readonly #chunks: AsyncIterator<Buffer>;

  constructor(stream: AsyncIterable<Buffer>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  /** The next line, without its end. @throws internal `git_failed` when the stream ends first. */
  async line(): Promise<string> {
    let text = '';
    for (;;) {
      const end = this.#chunk.indexOf(10);
      text += this.#chunk.toString('latin1', 0, end < 0 ? undefined : end);
      if (end >= 0) {
        this.#chunk = this.#chunk.subarray(end + 1);
        return text;
      }
      if (text.length > LONGEST_LINE) throw gitEndedEarly();
      this.#chunk = await this.#next();
    }
  }

  /** The next `length` bytes. @throws as {@link line}. */
  async take(length: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = length; left > 0; left -= parts.at(-1)!.length) parts.push(await this.#part(left));
    // A copy: a small blob must not keep the whole chunk in memory.
    return Buffer.concat(parts, length);
  }

  /** The next bytes, at least one and at most `length`. */
  async #part(length: number): Promise<Buffer> {
    if (this.#chunk.length === 0) this.#chunk = await this.#next();
    const part = this.#chunk.subarray(0, length);
    this.#chunk = this.#chunk.subarray(part.length);
    return part;
  }

  async #next(): Promise<Buffer> {
    const next = await this.#chunks.next();
    if (next.done === true) throw gitEndedEarly();
    return next.value;
  }
}
