import { type IncomingHttpHeaders, request, type RequestOptions } from 'node:http';

export interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

type RawRequest = Pick<RequestOptions, 'method' | 'path' | 'headers'> & { body?: string | Buffer };

/** Sends the path unchanged, while `fetch` would normalize it. @throws when no answer comes in time. */
export function rawRequest(
  url: string,
  { body, ...options }: RawRequest,
  limitMs = 60_000,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(limitMs);
    const sent = request(url, { ...options, signal, agent: false }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode: status = 0, headers } = answer;
        resolve({ status, headers, body: Buffer.concat(parts).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
