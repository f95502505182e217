import { type Clock, type HostWait, type RunCounters, type WaitObserver } from '@core/domain';

/** Keeps account of a run's waiting for hosts: seconds in its counters, words for its progress. */
export class RunWaits implements WaitObserver {
  /** Is told why the run waits, and null when it goes on. */
  onChange: (words: string | null) => void = () => undefined;
  private readonly waits = new Map<object, HostWait>();
  private readonly earlierSeconds: number;
  private waitedMs = 0;
  private sinceMs = 0;

  constructor(
    private readonly counters: RunCounters,
    private readonly clock: Clock,
  ) {
    this.earlierSeconds = counters.rateLimitedSeconds;
  }

  waiting(request: object, wait: HostWait): void {
    // As many requests under way as may be: the run is at work, not held back.
    if (wait.why === 'concurrency') return this.resumed(request);
    this.count();
    this.waits.set(request, wait);
    this.onChange(wordsFor(wait));
  }

  resumed(request: object): void {
    this.count();
    if (this.waits.delete(request) && this.waits.size === 0) this.onChange(null);
  }

  /** Time in which some request waited, however many did. */
  private count(): void {
    const nowMs = this.clock.monotonicMs();
    if (this.waits.size > 0) this.waitedMs += nowMs - this.sinceMs;
    this.sinceMs = nowMs;
    this.counters.rateLimitedSeconds = this.earlierSeconds + Math.round(this.waitedMs / 1000);
  }
}

function wordsFor({ budget: { host, name }, why, until }: HostWait): string {
  const time = until === null ? '' : ` until ${until.toISOString().slice(11, 19)}Z`;
  if (why === 'paused') return `Waiting${time}: ${host} asks for no more requests before`;
  return `Waiting${time}: the ${name} budget of ${host} is used up`;
}
