import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

export const DIMENSIONS = 384;
export const MODEL = 'bench-model';

export interface EmbeddingServer {
  url: string;
  texts(): number;
  stop(): void;
}

/** An embedding server that costs nearly nothing: vectors that differ in a few numbers, from the length of the text. */
export async function startEmbeddingServer(delayMs: number): Promise<EmbeddingServer> {
  const tail = `${',0.05'.repeat(DIMENSIONS - 3)}]`;
  let texts = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { input } = JSON.parse(Buffer.concat(parts).toString()) as { input: string[] };
      texts += input.length;
      const data = input.map((text, index) => {
        const middle = text.charCodeAt(text.length >> 1);
        const vector = `[${text.length / 7000},${middle / 70000},${text.charCodeAt(text.length >> 2) / 70000}${tail}`;
        return `{"object":"embedding","index":${index},"embedding":${vector}}`;
      });
      const tokens = input.reduce((sum, text) => sum + Math.ceil(text.length / 4), 0);
      const usage = `{"prompt_tokens":${tokens},"total_tokens":${tokens}}`;
      const body = `{"object":"list","data":[${data.join(',')}],"model":"${MODEL}","usage":${usage}}`;
      setTimeout(() => response.setHeader('content-type', 'application/json').end(body), delayMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    texts: () => texts,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
