import { type ServerResponse } from 'node:http';

/** What goes wrong, once or `times` times, with requests of one operation (absent: any). */
export type QdrantFault = {
  /** Qdrant's operationId, e.g. `upsert_points`. */
  operation?: string;
  times?: number;
} & (
  | { kind: 'status'; status: number; error?: string; headers?: Record<string, string>; body?: string }
  /** The request is taken and never answered. */
  | { kind: 'stall' }
  /** The connection is cut before anything happened. */
  | { kind: 'cut' }
  /** The write is done, its answer is lost. */
  | { kind: 'cut_after' }
  /** The write is queued and answered as `wait_timeout`. */
  | { kind: 'wait_timeout' }
);

export class Faults {
  private planned: { fault: QdrantFault; left: number }[] = [];

  plan(fault: QdrantFault): void {
    this.planned.push({ fault, left: fault.times ?? 1 });
  }

  clear(): void {
    this.planned = [];
  }

  /** The fault that strikes this request, used up by it. */
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
