import { type Logger } from '@core/domain';

/** BullMQ repeats a failing command as fast as Redis refuses it. */
const SAME_AGAIN_MS = 60_000;

/** Logs a reason when it is new, and once a minute while it lasts. */
export class ThrottledWarnings {
  private lastReason = '';
  private loggedAtMs = -Infinity;

  constructor(
    private readonly logger: Logger,
    private readonly message: string,
  ) {}

  warn(reason: string): void {
    if (reason === this.lastReason && performance.now() - this.loggedAtMs < SAME_AGAIN_MS) return;
    this.lastReason = reason;
    this.loggedAtMs = performance.now();
    this.logger.warn({ reason }, this.message);
  }
}
