import { type Response } from 'express';
import { type Logger, toRepotideError } from '@core/domain';
import { HttpProblem } from '../http/http-problem.js';
import { type Authenticator } from '../access/authenticator.js';
import { type ProgressFeed } from './progress-feed.js';

/** A run may last for hours, and a stream with it: its token is looked at again this often. */
const PROOF_INTERVAL_MS = 10_000;

interface OpenStream {
  token: string;
  feed: Pick<ProgressFeed, 'close'>;
}

/**
 * The streams that this process holds open. One whose token was revoked or has expired is ended within ten seconds;
 * its client comes back, and is refused. Tokens are asked about once each, however many streams they opened.
 */
export class OpenStreams {
  private readonly streams = new Map<Response, OpenStream>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly authenticator: Pick<Authenticator, 'callerOf'>,
    private readonly onCount: (count: number) => void,
    private readonly logger: Logger,
  ) {}

  add(response: Response, stream: OpenStream): void {
    this.streams.set(response, stream);
    this.timer ??= setInterval(() => void this.proveAll(), PROOF_INTERVAL_MS);
    this.onCount(this.streams.size);
  }

  /** Of a client that is gone. Repeating is harmless. */
  remove(response: Response): void {
    this.streams.delete(response);
    if (this.streams.size === 0) this.stopProving();
    this.onCount(this.streams.size);
  }

  endAll(): void {
    this.stopProving();
    this.end(() => true);
  }

  private stopProving(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async proveAll(): Promise<void> {
    const tokens = new Set([...this.streams.values()].map(({ token }) => token));
    await Promise.all([...tokens].map((token) => this.prove(token)));
  }

  private async prove(token: string): Promise<void> {
    try {
      await this.authenticator.callerOf(token);
    } catch (thrown) {
      if (thrown instanceof HttpProblem) return this.end((stream) => stream.token === token);
      // Whoever cannot be asked has refused nobody.
      this.logger.debug(
        { error_code: toRepotideError(thrown).code },
        'Tokens of streams could not be proven',
      );
    }
  }

  private end(isMeant: (stream: OpenStream) => boolean): void {
    for (const [response, stream] of this.streams) {
      if (!isMeant(stream)) continue;
      // First: nothing may be written after the end.
      stream.feed.close();
      response.end();
    }
  }
}
