import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';

/** The JSON encoding of OTLP: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface WireSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Record<string, string | number | boolean> }[];
  status: { code?: number };
}
interface WireTraces {
  resourceSpans: { scopeSpans: { spans: WireSpan[] }[] }[];
}

export interface ReceivedSpan extends Omit<WireSpan, 'attributes'> {
  attributes: Record<string, unknown>;
}

export interface OtlpReceiver {
  url: string;
  /** From all requests so far. */
  spans(): ReceivedSpan[];
  /** All bodies and headers as they were sent. */
  text(): string;
  /** From now on it accepts requests and never answers them. */
  hang(): void;
  requests(): number;
  stop(): Promise<void>;
}

/** Receives OTLP over HTTP with JSON bodies, on a free port. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const headers: string[] = [];
  let isHanging = false;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (part: string) => (body += part));
    request.on('end', () => {
      bodies.push(body);
      headers.push(JSON.stringify([request.url, request.headers]));
      if (!isHanging) response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => bodies.flatMap(spansOf),
    text: () => [...headers, ...bodies].join('\n'),
    hang: () => (isHanging = true),
    requests: () => bodies.length,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function spansOf(body: string): ReceivedSpan[] {
  const { resourceSpans } = JSON.parse(body) as WireTraces;
  return resourceSpans
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)
    .map((span) => ({
      ...span,
      attributes: Object.fromEntries(span.attributes.map(({ key, value }) => [key, Object.values(value)[0]])),
    }));
}
