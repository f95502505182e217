import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../git-fixtures/random.js';
import { type Answer, htmlAnswer, jsonAnswer, redirectAnswer, textAnswer } from './answer.js';

/** Replaces or changes the regular answer to a request. */
export type FaultEffect =
  /** An error status. Default body: the vendor's own. A given body is sent as JSON (an object), HTML (`<...`) or text. */
  | { kind: 'status'; status: number; retryAfterSeconds?: number; body?: unknown }
  /** 302 to the same path and query at another origin. */
  | { kind: 'redirect'; to: string }
  /** Breaks the connection: before the answer, or after this many bytes of its body. */
  | { kind: 'cut'; afterBytes?: number }
  /** Stops sending until the client gives up: before the answer, or after this many bytes of its body. */
  | { kind: 'stall'; afterBytes?: number }
  /** Sends the regular body slowly. */
  | { kind: 'drip'; chunkBytes: number; everyMs: number }
  /** Ends the body early and still properly: chunked, with the final chunk. */
  | { kind: 'truncate'; keepBytes: number }
  /** Sends a body of the right length with one flipped bit in the middle. */
  | { kind: 'corrupt' };

/**
 * A fault that a test injects. It applies when all conditions match.
 * @typeParam Extra effects that only one kind of server supports.
 */
export interface Fault<Extra extends { kind: string } = never> {
  method?: string;
  /** Tested against path and query as they were sent, percent signs included. */
  url?: RegExp;
  /** Matching requests that pass unchanged first. Default 0. */
  after?: number;
  /** Affects this share of the matching requests, from 0 to 1, chosen as if at random. Default: all. */
  share?: number;
  /** Matching requests that it affects after those. Default: all. */
  times?: number;
  effect: FaultEffect | Extra;
}

interface ArmedFault<Extra extends { kind: string }> {
  fault: Fault<Extra>;
  seen: number;
}

/** The faults of one server; when several match, the one added first applies. */
export class FaultSet<Extra extends { kind: string } = never> {
  private armed: ArmedFault<Extra>[] = [];
  private readonly random: Random;

  /** @param seed Equal seeds choose the same requests. */
  constructor(seed = 1) {
    this.random = new Random(seed);
  }

  /** Takes effect with the next request. Returns a function that removes it. */
  add(fault: Fault<Extra>): () => void {
    const armed = { fault, seen: 0 };
    this.armed.push(armed);
    return () => {
      this.armed = this.armed.filter((other) => other !== armed);
    };
  }

  clear(): void {
    this.armed = [];
  }

  /** Returns the effect for this request and counts the request. */
  strike(method: string, url: string): FaultEffect | Extra | null {
    for (const armed of this.armed) {
      const { fault } = armed;
      if (fault.method !== undefined && fault.method !== method) continue;
      if (fault.url !== undefined && url.search(fault.url) < 0) continue;
      if (fault.share !== undefined && this.random.next() >= fault.share) continue;
      const hits = armed.seen++ - (fault.after ?? 0);
      if (hits >= 0 && hits < (fault.times ?? Infinity)) return fault.effect;
    }
    return null;
  }
}

/** Thrown while a body is written, to break the connection at this point. */
export class ConnectionCut extends Error {}

/** The answer of an effect that does not need the regular one. */
export function answerOfFault(
  effect: { kind: string },
  url: string,
  vendorError: (status: number) => Answer,
): Answer | null {
  const known = effect as FaultEffect;
  if (known.kind === 'redirect') return redirectAnswer(302, new URL(known.to).origin + url);
  if (known.kind !== 'status') return null;
  const answer = known.body === undefined ? vendorError(known.status) : givenAnswer(known.status, known.body);
  const wait = known.retryAfterSeconds;
  return wait === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, 'retry-after': `${wait}` } };
}

function givenAnswer(status: number, body: unknown): Answer {
  if (typeof body !== 'string') return jsonAnswer(status, body);
  return body.startsWith('<') ? htmlAnswer(status, body) : textAnswer(status, body);
}

/** Whether the effect applies before the first byte of the answer. */
export function isSilent(effect: { kind: string; afterBytes?: number }): boolean {
  return (effect.kind === 'cut' || effect.kind === 'stall') && effect.afterBytes === undefined;
}

/** Passes on a body that the effect changes. */
export async function* applyFault(
  body: AsyncIterable<Buffer>,
  effect: { kind: string },
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const known = effect as FaultEffect;
  switch (known.kind) {
    case 'cut':
      yield* firstBytes(body, known.afterBytes ?? 0);
      throw new ConnectionCut();
    case 'stall':
      yield* firstBytes(body, known.afterBytes ?? 0);
      await silence(signal);
      return;
    case 'drip':
      for await (const chunk of body) yield* drip(chunk, known.chunkBytes, known.everyMs, signal);
      return;
    case 'truncate':
      yield* firstBytes(body, known.keepBytes);
      return;
    case 'corrupt':
      yield* corrupt(body);
      return;
    // Effects that need no body were applied before; a server's own effects are already part of its answer.
    case 'status':
    case 'redirect':
    default:
      yield* body;
  }
}

/** Resolves when the client or the server gives up. */
export function silence(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

async function* firstBytes(body: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let left = limit;
  for await (const chunk of body) {
    if (left <= 0) return;
    yield chunk.subarray(0, left);
    left -= chunk.length;
  }
}

async function* drip(
  chunk: Buffer,
  chunkBytes: number,
  everyMs: number,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  for (let start = 0; start < chunk.length; start += chunkBytes) {
    await sleep(everyMs, undefined, { signal });
    yield chunk.subarray(start, start + chunkBytes);
  }
}

async function* corrupt(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  // Cuts in the middle of the whole body: a first part may hold what no checksum covers, such as a header.
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const corrupted = Buffer.concat(chunks);
  const middle = Math.floor(corrupted.length / 2);
  if (corrupted.length > 0) corrupted.writeUInt8(corrupted.readUInt8(middle) ^ 1, middle);
  yield corrupted;
}
