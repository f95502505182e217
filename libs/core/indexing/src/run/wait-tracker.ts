import { type Clock, type HostWait, type RunCounters, type WaitObserver } from '@core/domain';

/** Tracks how a run waits for hosts: seconds for its counters, a message for its progress. */
export class WaitTracker implements WaitObserver {
  /** Receives why the run waits, and null when it continues. */
  onChange: (message: string | null) => void = () => undefined;
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
    // All allowed requests are in flight: the run works, it does not wait.
    if (wait.reason === 'concurrency') return this.resumed(request);
    this.count();
    this.waits.set(request, wait);
    this.onChange(messageFor(wait));
  }

  resumed(request: object): void {
    this.count();
    if (this.waits.delete(request) && this.waits.size === 0) this.onChange(null);
  }

  /** Counts time in which at least one request waited. */
  private count(): void {
    const nowMs = this.clock.monotonicMs();
    if (this.waits.size > 0) this.waitedMs += nowMs - this.sinceMs;
    this.sinceMs = nowMs;
    this.counters.rateLimitedSeconds = this.earlierSeconds + Math.round(this.waitedMs / 1000);
  }
}

function messageFor({ budget: { host, name }, reason, until }: HostWait): string {
  const time = until === null ? '' : ` until ${until.toISOString().slice(11, 19)}Z`;
  if (reason === 'paused') return `Waiting${time}: ${host} asked for a pause`;
  return `Waiting${time}: the ${name} budget of ${host} is used up`;
}
