import { type Response } from 'express';
import { type Caller, isLimited, type Logger, toRepotideError } from '@core/domain';
import { HttpProblem } from '../http/problem.js';
import { type Authenticator } from '../access/authenticator.js';
import { type ScopeCheck } from '../access/scope-check.js';
import { type ProgressFeed } from './progress-feed.js';

/** Interval at which tokens are checked again, because a stream may stay open for hours. */
const TOKEN_CHECK_MS = 10_000;

/** One user interface needs a handful. */
const MOST_OF_CALLER = 100;
const MOST_OF_POD = 1_000;

interface OpenStream {
  callerId: string;
  token: string;
  executionId: string;
  feed: Pick<ProgressFeed, 'close'>;
}

function tooManyStreams(found: string, most: number): HttpProblem {
  const detail = `${found}; at most ${most} are possible. Close one, or try again later.`;
  return new HttpProblem(429, 'too_many_streams', detail, { 'Retry-After': '10' });
}

/**
 * The open streams of this process. Closes a stream within ten seconds after its token was revoked or has expired,
 * or its scope lost the run; the client reconnects and is refused. Each token is checked once per interval, even if it has many streams.
 */
export class OpenStreams {
  private readonly streams = new Map<Response, OpenStream>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly authenticator: Pick<Authenticator, 'callerOf'>,
    private readonly scopes: Pick<ScopeCheck, 'maySee'>,
    private readonly onCount: (count: number) => void,
    private readonly logger: Logger,
  ) {}

  /** Call it before a stream is opened, and `add` in the same turn. @throws HttpProblem 429 `too_many_streams`. */
  assertRoom(callerId: string): void {
    const own = [...this.streams.values()].filter((stream) => stream.callerId === callerId).length;
    if (own >= MOST_OF_CALLER) throw tooManyStreams(`You have ${own} open streams`, MOST_OF_CALLER);
    if (this.streams.size >= MOST_OF_POD) throw tooManyStreams('This pod is full', MOST_OF_POD);
  }

  add(response: Response, stream: OpenStream): void {
    this.streams.set(response, stream);
    this.timer ??= setInterval(() => void this.checkTokens(), TOKEN_CHECK_MS);
    this.onCount(this.streams.size);
  }

  /** Removes the stream of a disconnected client. Safe to repeat. */
  remove(response: Response): void {
    this.streams.delete(response);
    if (this.streams.size === 0) this.stopChecking();
    this.onCount(this.streams.size);
  }

  endAll(): void {
    this.stopChecking();
    this.end(() => true);
  }

  private stopChecking(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private async checkTokens(): Promise<void> {
    const tokens = new Set([...this.streams.values()].map(({ token }) => token));
    await Promise.all([...tokens].map((token) => this.checkToken(token)));
  }

  private async checkToken(token: string): Promise<void> {
    try {
      const caller = await this.authenticator.callerOf(token);
      if (isLimited(caller)) await this.checkScope(token, caller);
    } catch (thrown) {
      if (thrown instanceof HttpProblem) return this.end((stream) => stream.token === token);
      // The check itself failed, so the token is not known to be invalid.
      this.logger.debug(
        { error_code: toRepotideError(thrown).code },
        'Tokens of open streams could not be checked',
      );
    }
  }

  /** The scope, or the project of the run, may have changed since the stream was opened. */
  private async checkScope(token: string, caller: Caller): Promise<void> {
    const own = [...this.streams.values()].filter((stream) => stream.token === token);
    for (const executionId of new Set(own.map((stream) => stream.executionId))) {
      if (await this.scopes.maySee(caller, 'execution', executionId)) continue;
      this.end((stream) => stream.token === token && stream.executionId === executionId);
    }
  }

  private end(isSelected: (stream: OpenStream) => boolean): void {
    for (const [response, stream] of this.streams) {
      if (!isSelected(stream)) continue;
      // Closes the feed first, because nothing may be written after the end.
      stream.feed.close();
      response.end();
    }
  }
}
