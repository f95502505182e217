import { toRepotideError, type Logger } from '@core/domain';

/** Repeats work at an interval, one round at a time. */
export class Rounds {
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> | null = null;

  /** @param work must not reject: nobody waits for the rounds of a timer. */
  constructor(private readonly work: () => Promise<void>) {}

  /** The first round comes after one interval. */
  start(intervalMs: number): void {
    this.timer = setInterval(() => void this.round(), intervalMs);
  }

  /** A round now, or the one that goes on; resolves when it is over. */
  round(): Promise<void> {
    this.current ??= this.work().finally(() => (this.current = null));
    return this.current;
  }

  /** No timer begins another round; resolves when the one that goes on is over. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.current;
  }
}

/** Does a chore that will come again by itself: a failure is told, and never thrown. */
export async function attemptChore(
  logger: Logger,
  chore: { chore: string; step?: string },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const { code: error_code, message: error } = toRepotideError(thrown);
    logger.warn({ ...chore, error_code, error }, 'chore failed; it comes again');
  }
}
