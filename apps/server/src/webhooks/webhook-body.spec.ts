import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { type Request } from 'express';
import { type HttpProblem } from '../http/problem.js';
import { WebhookReader } from './webhook-body.js';

const SECRET = 'a-secret-of-the-webhook-tests';
const MIB = 1_048_576;

/** A delivery whose body is still being sent. */
function delivery(headers: Record<string, string> = {}) {
  const all: Record<string, string> = {
    'webhook-signature': 'v1,bm90IHRoZSBzaWduYXR1cmU=',
    'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
    ...headers,
  };
  const stream = new PassThrough({ highWaterMark: 64 * MIB });
  const request = Object.assign(stream, { headers: all, get: (name: string) => all[name.toLowerCase()] });
  return { stream, request: request as unknown as Request };
}

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => 'read',
    (error: unknown) => (error as HttpProblem).code,
  );

describe('WebhookReader', () => {
  it('refuses a compressed event before it reads a byte', async () => {
    const { request, stream } = delivery({ 'content-encoding': 'gzip' });
    expect(await codeOf(new WebhookReader().read(request, SECRET))).toBe('unsupported_media_type');
    expect(stream.listenerCount('data')).toBe(0);
  });

  it('keeps at most 50 MiB of events whose signature is not checked yet', async () => {
    const reader = new WebhookReader();
    const deliveries = Array.from({ length: 30 }, () => delivery());
    const results = deliveries.map(({ request }) => codeOf(reader.read(request, SECRET)));
    const part = Buffer.alloc(5 * MIB);
    for (const { stream } of deliveries) stream.write(part);
    const refused = await Promise.all(results.slice(10));
    expect(new Set(refused)).toEqual(new Set(['webhooks_busy']));
    expect(reader['unprovenBytes']).toBe(50 * MIB);
    for (const { stream } of deliveries) stream.end();
    expect(new Set(await Promise.all(results.slice(0, 10)))).toEqual(new Set(['webhook_signature_rejected']));
    expect(reader['unprovenBytes']).toBe(0);
  });

  it('frees the memory of a sender that hangs up', async () => {
    const reader = new WebhookReader();
    const { request, stream } = delivery();
    const result = codeOf(reader.read(request, SECRET));
    stream.write(Buffer.alloc(MIB));
    stream.destroy();
    expect(await result).toBe('malformed_request');
    expect(reader['unprovenBytes']).toBe(0);
  });
});
