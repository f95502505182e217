import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { type Answer } from './answer.js';
import { answerOfFault, ConnectionCut, type FaultSet, isSilent, silence, applyFault } from './faults.js';

/** How a request authenticated; the token itself is not stored. */
export type TokenSeen = 'accepted' | 'rejected' | 'absent';

/** One entry of a stand-in's request log. */
export interface RequestRecord {
  method: string;
  /** As sent, percent signs included, without the query. */
  path: string;
  query: Readonly<Record<string, string>>;
  /** Null until the request is answered; stays null when a fault sent no answer or broke the connection first. */
  status: number | null;
  at: Date;
  token: TokenSeen;
  /** The kind of the fault that applied. */
  fault: string | null;
  /** The error of the stand-in itself; not null means a bug in the stand-in. */
  failure: string | null;
}

export interface StandInRequest<Extra extends { kind: string }> {
  method: string;
  /** As sent, without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: Buffer;
  /** An effect that only this server supports; the handler builds it into its answer. */
  effect: Extra | null;
}

export interface StandInBehaviour<Extra extends { kind: string }> {
  faults: FaultSet<Extra>;
  record(record: RequestRecord): void;
  tokenSeen(headers: IncomingMessage['headers']): TokenSeen;
  answer(request: StandInRequest<Extra>): Promise<Answer>;
  /** The vendor's own body for an error status. */
  errorAnswer(status: number): Answer;
}

export interface RunningServer {
  url: string;
  /** Closes open connections, waits for running requests and frees the port. Repeating is harmless. */
  stop(): Promise<void>;
}

const MAX_BODY_BYTES = 64 * 1024 * 1024;
// Longer than a test run: closing idle connections would race with clients that reuse them.
const KEEP_ALIVE_MS = 120_000;

/** Serves HTTP on 127.0.0.1. @param port 0: a free port. @param tls key and certificate in PEM, to serve HTTPS instead. */
export async function startStandInServer<Extra extends { kind: string }>(
  behaviour: StandInBehaviour<Extra>,
  port: number,
  tls?: { key: string; cert: string },
): Promise<RunningServer> {
  const stopping = new AbortController();
  const working = new Set<Promise<void>>();
  const onRequest = (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const work = serve(behaviour, incoming, outgoing, stopping.signal).finally(() => working.delete(work));
    working.add(work);
  };
  const options = { keepAliveTimeout: KEEP_ALIVE_MS };
  const server =
    tls === undefined ? createServer(options, onRequest) : createTlsServer({ ...options, ...tls }, onRequest);
  await listen(server, port);
  let stopped: Promise<void> | null = null;
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    stopping.abort();
    server.closeAllConnections();
    await Promise.all([closed, ...working]);
  };
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${taken}`,
    stop: () => (stopped ??= stop()),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

async function serve<Extra extends { kind: string }>(
  behaviour: StandInBehaviour<Extra>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stopping: AbortSignal,
): Promise<void> {
  const closed = new AbortController();
  outgoing.once('close', () => closed.abort());
  const signal = AbortSignal.any([stopping, closed.signal]);
  try {
    const { request, record, url } = await receive(behaviour, incoming);
    behaviour.record(record);
    const effect = behaviour.faults.strike(request.method, url);
    record.fault = effect?.kind ?? null;
    if (effect !== null && isSilent(effect)) {
      if (effect.kind === 'stall') await silence(signal);
      throw new ConnectionCut();
    }
    const answer =
      (effect === null ? null : answerOfFault(effect, url, (status) => behaviour.errorAnswer(status))) ??
      (await properAnswer(behaviour, { ...request, effect: effect as Extra | null }, record, signal));
    record.status = answer.status;
    await send(request.method, answer, outgoing, effect, signal);
  } catch {
    // The status was already sent, so break the connection to make the client fail.
    outgoing.destroy();
  }
}

async function properAnswer<Extra extends { kind: string }>(
  behaviour: StandInBehaviour<Extra>,
  request: StandInRequest<Extra>,
  record: RequestRecord,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    return await behaviour.answer(request);
  } catch (error) {
    if (!signal.aborted) record.failure = error instanceof Error ? error.message : String(error);
    return behaviour.errorAnswer(500);
  }
}

async function receive<Extra extends { kind: string }>(
  behaviour: StandInBehaviour<Extra>,
  incoming: IncomingMessage,
): Promise<{ request: Omit<StandInRequest<Extra>, 'effect'>; record: RequestRecord; url: string }> {
  const { method = 'GET', url = '/', headers } = incoming;
  const [path = '/', search = ''] = splitOnce(url, '?');
  const query = new URLSearchParams(search);
  const record: RequestRecord = {
    method,
    path,
    query: withoutTokens(query),
    status: null,
    at: new Date(),
    token: behaviour.tokenSeen(headers),
    fault: null,
    failure: null,
  };
  return { request: { method, path, query, headers, body: await readBody(incoming) }, record, url };
}

/** GitLab also accepts tokens in the query. */
function withoutTokens(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...query].filter(([name]) => !name.endsWith('_token') || name === 'page_token'));
}

function splitOnce(text: string, separator: string): string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new ConnectionCut();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function send(
  method: string,
  answer: Answer,
  outgoing: ServerResponse,
  effect: { kind: string } | null,
  signal: AbortSignal,
): Promise<void> {
  const { status, headers, body } = answer;
  const hasLength = Buffer.isBuffer(body) && effect?.kind !== 'truncate';
  outgoing.writeHead(status, hasLength ? { ...headers, 'content-length': body.length } : headers);
  if (method === 'HEAD') {
    if (!Buffer.isBuffer(body)) body.destroy();
    outgoing.end();
    return;
  }
  if (effect === null && Buffer.isBuffer(body)) {
    outgoing.end(body);
    return;
  }
  if (!Buffer.isBuffer(body)) {
    // The first chunk may take long, and the stream must not outlive a client that disconnects meanwhile.
    outgoing.flushHeaders();
    signal.addEventListener('abort', () => body.destroy(), { once: true });
  }
  const whole = Buffer.isBuffer(body) ? once(body) : (body as AsyncIterable<Buffer>);
  for await (const chunk of effect === null ? whole : applyFault(whole, effect, signal))
    await write(outgoing, chunk, signal);
  outgoing.end();
}

async function* once(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}

/**
 * Resolves when the chunk was sent, so that breaking the connection later does not discard it. Node never reports a chunk
 * that was still buffered when the connection closed, so the signal ends the wait.
 */
function write(outgoing: ServerResponse, chunk: Buffer, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new ConnectionCut());
    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    outgoing.write(chunk, (error) => {
      signal.removeEventListener('abort', giveUp);
      if (error) reject(error);
      else resolve();
    });
  });
}
