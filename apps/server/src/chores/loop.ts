/** Repeats work at an interval, and on request. Rounds never overlap. */
export class Loop {
  private timer: NodeJS.Timeout | undefined;
  private current: Promise<void> | null = null;
  private isWokenAgain = false;
  private hasStopped = false;

  /** @param round must not reject: a rejection in a timer would be unhandled. */
  constructor(private readonly round: () => Promise<void>) {}

  get isStopped(): boolean {
    return this.hasStopped;
  }

  /** The first round starts after one interval. */
  start(intervalMs: number): void {
    this.timer = setInterval(() => void this.run(), intervalMs);
  }

  /** Starts a round, or joins the current one. */
  run(): Promise<void> {
    this.current ??= this.round().finally(() => {
      this.current = null;
      if (this.isWokenAgain) this.wake();
    });
    return this.current;
  }

  /** Starts a round. During a round, schedules one more round after it. */
  wake(): void {
    this.isWokenAgain = this.current !== null && !this.hasStopped;
    if (!this.isWokenAgain && !this.hasStopped) void this.run();
  }

  /** Starts no further round. @returns when the current round has ended. */
  async stop(): Promise<void> {
    this.hasStopped = true;
    clearInterval(this.timer);
    await this.current;
  }
}
