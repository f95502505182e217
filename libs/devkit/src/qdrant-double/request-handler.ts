import { type IncomingMessage, type ServerResponse } from 'node:http';
import { ApiDescription, type DescribedOperation } from './api-description.js';
import { UnsupportedFeature, QdrantFailure } from './failure.js';
import { Faults, sendFailure, type QdrantFault } from './faults.js';
import { OPERATIONS, type DoubleState } from './operations.js';
import { checkAccess, isList, visibleTo, type ScopedKey } from './scoped-keys.js';
import { type StrictMode } from './strict-mode.js';
import { WriteQueue } from './write-queue.js';

export interface QdrantRequestRecord {
  /** When the last byte arrived. */
  at: Date;
  operationId: string;
  method: string;
  /** Without prefix, with query. */
  path: string;
  bytes: number;
  /** The parsed body. */
  body: unknown;
  /** Null when no answer was sent. */
  status: number | null;
}

interface HandlerOptions {
  version: string;
  apiKey: string | null;
  scopedKeys: readonly ScopedKey[];
  maxRequestBytes: number;
  strictMode: StrictMode;
  refusesFacets: boolean;
  prefix: string;
}

/** The probes need no key, and their answers have no envelope. */
const PROBES = ['root', 'readyz'];
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Handles a request: key, size, faults, validation of request and answer. */
export class RequestHandler {
  readonly requests: QdrantRequestRecord[] = [];
  readonly violations: string[] = [];
  readonly faults = new Faults();
  readonly state: DoubleState;
  /** What the lagging replica of each such fault has. */
  private readonly replicas = new Map<QdrantFault, DoubleState>();
  private readonly description = ApiDescription.load();

  constructor(private readonly options: HandlerOptions) {
    const { version, strictMode, refusesFacets } = options;
    this.state = {
      version,
      strictMode,
      refusesFacets,
      collections: new Map(),
      aliases: new Map(),
      writes: new WriteQueue(),
    };
  }

  plan(fault: QdrantFault): void {
    if (fault.kind === 'lag') {
      const copies = [...this.state.collections].map(([name, each]) => [name, each.copy()] as const);
      this.replicas.set(fault, { ...this.state, collections: new Map(copies) });
    }
    this.faults.plan(fault);
  }

  handle(request: IncomingMessage, raw: Buffer, response: ServerResponse): void {
    const method = request.method ?? 'GET';
    const url = new URL(request.url ?? '/', 'http://double');
    if (!url.pathname.startsWith(this.options.prefix)) {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<html>404 Not Found</html>');
      return;
    }
    const path = url.pathname.slice(this.options.prefix.length) || '/';
    const operation = this.description.find(method, path);
    const operationId = operation?.operationId ?? 'unknown';
    const record: QdrantRequestRecord = {
      at: new Date(),
      operationId,
      method,
      path: path + url.search,
      bytes: raw.length,
      body: undefined,
      status: null,
    };
    this.requests.push(record);
    response.once('finish', () => (record.status = response.statusCode));
    if (operation === null) {
      this.violations.push(`${method} ${path} is not a supported operation`);
      response.writeHead(404).end();
    } else if (this.isAccepted(operationId, request, raw, response)) {
      this.answer(operation, record, { query: url.searchParams, key: keyOf(request) }, raw, response);
    }
  }

  private isAccepted(
    operationId: string,
    request: IncomingMessage,
    raw: Buffer,
    response: ServerResponse,
  ): boolean {
    const { apiKey, scopedKeys, maxRequestBytes } = this.options;
    const isKnown = [apiKey, ...scopedKeys.map(({ key }) => key)].includes(keyOf(request));
    if (apiKey !== null && !PROBES.includes(operationId) && !isKnown) {
      response.writeHead(401, { 'content-type': 'text/plain' });
      response.end('Must provide an API key or an Authorization bearer token');
      return false;
    }
    if (raw.length > maxRequestBytes) {
      response.writeHead(413, { 'content-type': 'text/plain' }).end('Payload reached size limit.');
      return false;
    }
    return true;
  }

  private answer(
    operation: DescribedOperation,
    record: QdrantRequestRecord,
    { query, key }: { query: URLSearchParams; key: string | null },
    raw: Buffer,
    response: ServerResponse,
  ): void {
    const fault = this.faults.take(operation.operationId);
    if (fault !== null && replacesOperation(fault, response)) return;
    try {
      const body = this.parseBody(operation, record, raw);
      const parsed = operation.parseQuery(query);
      if (parsed.problem !== null) throw this.violation(record, parsed.problem);
      const values = fault?.kind === 'wait_timeout' ? { ...parsed.values, wait: false } : parsed.values;
      const collectionName = operation.pathParameters['collection_name'] ?? '';
      const vectorName = operation.pathParameters['vector_name'] ?? '';
      const run = OPERATIONS[operation.operationId];
      const scope = this.options.scopedKeys.find((scoped) => scoped.key === key);
      if (scope && !PROBES.includes(operation.operationId))
        checkAccess(scope, operation.operationId, collectionName);
      const state = (fault && this.replicas.get(fault)) ?? this.state;
      const whole = run?.(state, { collectionName, vectorName, query: values, body: body ?? {} });
      const result = scope && isList(operation.operationId) ? visibleTo(scope, whole) : whole;
      if (fault?.kind === 'cut_after') response.destroy();
      else if (fault?.kind !== 'stall_after')
        this.send(operation, record, fault === null ? result : withFault(fault, result), response);
    } catch (error) {
      this.fail(operation, record, error, response);
    }
  }

  private parseBody(
    operation: DescribedOperation,
    record: QdrantRequestRecord,
    raw: Buffer,
  ): Record<string, unknown> | undefined {
    const text = raw.toString('utf8');
    const body = text === '' ? undefined : parseJson(text);
    record.body = body;
    const problem = operation.problemOfBody(body);
    if (problem !== null) throw this.violation(record, `body ${problem}`);
    return body as Record<string, unknown> | undefined;
  }

  private send(
    operation: DescribedOperation,
    record: QdrantRequestRecord,
    result: unknown,
    response: ServerResponse,
  ): void {
    if (operation.operationId === 'readyz') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(String(result));
      return;
    }
    const answer = PROBES.includes(operation.operationId) ? result : { result, status: 'ok', time: 0 };
    const problem = operation.problemOfAnswer(200, answer);
    if (problem !== null) this.violation(record, `response of the double: ${problem}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  private fail(
    operation: DescribedOperation,
    record: QdrantRequestRecord,
    error: unknown,
    response: ServerResponse,
  ): void {
    if (error instanceof UnsupportedFeature) this.violation(record, `unsupported: ${error.message}`);
    const status = error instanceof QdrantFailure ? error.status : 500;
    const message = error instanceof Error ? error.message : String(error);
    const problem = operation.problemOfAnswer(status, { status: { error: message }, time: 0 });
    if (problem !== null) this.violation(record, `error of the double: ${problem}`);
    sendFailure(response, status, message, error instanceof QdrantFailure ? error.headers : {});
  }

  private violation(record: QdrantRequestRecord, problem: string): QdrantFailure {
    this.violations.push(`${record.method} ${record.path}: ${problem}`);
    return new QdrantFailure(400, `Format error in JSON body: ${problem}`);
  }
}

function keyOf({ headers }: IncomingMessage): string | null {
  return headers['api-key']?.toString() ?? null;
}

/** True when the fault replaces the operation. */
function replacesOperation(fault: QdrantFault, response: ServerResponse): boolean {
  switch (fault.kind) {
    case 'stall':
      return true;
    case 'cut':
      response.destroy();
      return true;
    case 'status':
      if (fault.body === undefined) {
        sendFailure(response, fault.status, fault.error ?? 'Service internal error: injected', fault.headers);
      } else {
        response.writeHead(fault.status, fault.headers).end(fault.body);
      }
      return true;
    case 'cut_after':
    case 'stall_after':
    case 'wait_timeout':
    case 'lag':
      return false;
  }
}

function withFault(fault: QdrantFault, result: unknown): unknown {
  if (fault.kind !== 'wait_timeout') return result;
  return { ...(result as object), status: fault.status ?? fault.kind };
}

/** As strict as a JSON parser in Rust: a lone surrogate is an error. */
function parseJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    if (!/\\u[dD][89a-fA-F]/.test(text)) return parsed;
    return JSON.parse(text, (_key, value: unknown) => {
      if (typeof value === 'string' && LONE_SURROGATE.test(value))
        throw new Error('lone surrogate in hex escape');
      return value;
    });
  } catch (error) {
    throw new QdrantFailure(400, `Format error in JSON body: ${error instanceof Error ? error.message : ''}`);
  }
}
