import { type ServerResponse } from 'node:http';

/** A fault of requests to one operation (absent: any), once or `times` times. */
export type QdrantFault = {
  /** Qdrant's operationId, e.g. `upsert_points`. */
  operation?: string;
  times?: number;
} & (
  | { kind: 'status'; status: number; error?: string; headers?: Record<string, string>; body?: string }
  /** The server accepts the request and never answers. */
  | { kind: 'stall' }
  /** The server closes the connection before it does the work. */
  | { kind: 'cut' }
  /** The write is done, but its answer is lost. */
  | { kind: 'cut_after' }
  /** The write is done, but its answer never comes. */
  | { kind: 'stall_after' }
  /** The write is queued, and answered as such although the request waits. */
  | { kind: 'wait_timeout'; status?: 'wait_timeout' | 'acknowledged' }
  /** The read is answered by a replica that has seen no write since this fault was planned. */
  | { kind: 'lag' }
);

export class Faults {
  private planned: { fault: QdrantFault; left: number }[] = [];

  plan(fault: QdrantFault): void {
    this.planned.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.planned = [];
  }

  /** Returns the fault for this request and uses it up. */
  take(operationId: string): QdrantFault | null {
    const found = this.planned.find(
      ({ fault, left }) => left > 0 && (fault.operation === undefined || fault.operation === operationId),
    );
    if (found === undefined) return null;
    found.left--;
    return found.fault;
  }
}

export function sendFailure(
  response: ServerResponse,
  status: number,
  error: string,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ status: { error }, time: 0 }));
}
