import { type Response } from 'express';

/** Frames that wait for a slow client; beyond it the oldest goes, as only the newest state matters. */
const MAX_QUEUED = 1000;
const HEARTBEAT_MS = 15_000;
const RETRY_MS = 2_000;

/**
 * One client of server-sent events. Frames wait in a bounded queue while the client is slow; a comment now and then
 * keeps proxies from ending a silent connection.
 */
export class EventStream {
  private readonly queue: string[] = [];
  private readonly heartbeat: NodeJS.Timeout;
  private isBlocked = false;
  private isEnding = false;

  constructor(private readonly response: Response) {
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      Connection: 'keep-alive',
      // Nginx and Traefik's buffering middleware would hold events back.
      'X-Accel-Buffering': 'no',
    });
    response.on('drain', () => {
      this.isBlocked = false;
      this.flush();
    });
    this.heartbeat = setInterval(() => this.push(': still here\n\n'), HEARTBEAT_MS);
    this.push(`retry: ${RETRY_MS}\n\n`);
  }

  /** @param id what `Last-Event-ID` brings back; null for a state that cannot be resumed from. */
  send(event: string, data: object, id: string | null): void {
    const identity = id === null ? '' : `id: ${id}\n`;
    this.push(`${identity}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Sends what waits, then closes. */
  end(): void {
    this.isEnding = true;
    this.flush();
  }

  /** Forgets everything; for a client that is gone. */
  abandon(): void {
    clearInterval(this.heartbeat);
    this.queue.length = 0;
    this.isBlocked = true;
  }

  private push(frame: string): void {
    if (this.isEnding) return;
    this.queue.push(frame);
    if (this.queue.length > MAX_QUEUED) this.queue.shift();
    this.flush();
  }

  private flush(): void {
    while (!this.isBlocked && this.queue.length > 0) {
      this.isBlocked = !this.response.write(this.queue.shift());
    }
    if (!this.isEnding || this.queue.length > 0) return;
    clearInterval(this.heartbeat);
    this.response.end();
  }
}
