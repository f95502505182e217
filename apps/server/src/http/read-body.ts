import { type Request } from 'express';
import { HttpProblem } from './problem.js';

/** Largest body of an API request, in bytes. */
const LARGEST_JSON_BYTES = 1_048_576;
/** Valid bodies have at most three levels. The code that reads them is recursive. */
const MAX_DEPTH = 20;

/**
 * Reads the JSON body of an API request; undefined without a body. Call it after the caller was authenticated: bodies of
 * strangers are never read.
 * @throws HttpProblem 400 `malformed_request`, `body_too_deep`; 413 `body_too_large`; 415 `unsupported_media_type`.
 */
export async function readJson(request: Request): Promise<unknown> {
  // `is` returns null without a body, and false for a body of another type.
  if (request.is(['json', '+json']) === null || request.get('content-length') === '0') return undefined;
  if (request.is(['json', '+json']) === false) {
    const found = request.get('content-type') ?? 'none';
    const detail = `The body must have Content-Type: application/json; found ${found}.`;
    throw new HttpProblem(415, 'unsupported_media_type', detail);
  }
  const [, charset = 'utf-8'] = /;\s*charset="?([^";\s]+)/i.exec(request.get('content-type') ?? '') ?? [];
  if (!/^utf-?8$/i.test(charset)) {
    const detail = `The body must be UTF-8; found charset=${charset}.`;
    throw new HttpProblem(415, 'unsupported_media_type', detail);
  }
  const bytes = await readBytes(request, LARGEST_JSON_BYTES);
  if (bytes.length === 0) return undefined;
  const body = parseJson(bytes);
  assertShallow(body);
  return body;
}

/**
 * Reads a body of at most this size. A compressed body is refused, because its real size is unknown until it is inflated.
 * @param claim is called with the size of each part before it is kept, and may throw to stop.
 */
export async function readBytes(
  request: Request,
  limit: number,
  claim: (bytes: number) => void = () => undefined,
): Promise<Buffer> {
  const encoding = request.get('content-encoding') ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    const detail = `The body must not be compressed; found Content-Encoding: ${encoding}.`;
    throw new HttpProblem(415, 'unsupported_media_type', detail);
  }
  if (Number(request.get('content-length') ?? 0) > limit) throw tooLarge(limit);
  const parts: Buffer[] = [];
  let size = 0;
  return new Promise((resolve, reject) => {
    const stop = (error: Error): void => {
      request.off('data', onData);
      // The rest is discarded without being kept.
      request.resume();
      reject(error);
    };
    const onData = (part: Buffer): void => {
      size += part.length;
      if (size > limit) return stop(tooLarge(limit));
      try {
        claim(part.length);
      } catch (error) {
        return stop(error as Error);
      }
      parts.push(part);
    };
    request.on('data', onData);
    request.once('end', () => resolve(Buffer.concat(parts)));
    request.once('error', () => stop(cutOff()));
    request.once('close', () => stop(cutOff()));
  });
}

/** @throws HttpProblem 400 `malformed_request`. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'));
  } catch {
    throw new HttpProblem(400, 'malformed_request', 'The body is not JSON.');
  }
}

function assertShallow(body: unknown): void {
  let level: unknown[] = membersOf([body]);
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) level = level.flatMap(membersOf);
  if (level.length === 0) return;
  throw new HttpProblem(400, 'body_too_deep', `The body is nested more than ${MAX_DEPTH} levels deep.`);
}

function membersOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).filter((member) => typeof member === 'object' && member !== null);
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem(413, 'body_too_large', `The body has more than ${limit} bytes.`);
}

function cutOff(): HttpProblem {
  return new HttpProblem(400, 'malformed_request', 'The connection ended before the body was complete.');
}
