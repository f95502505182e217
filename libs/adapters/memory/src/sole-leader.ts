import { type LeaderElection } from '@core/domain';

/** The election of a single process: it leads until it stops. */
export class SoleLeader implements LeaderElection {
  private isLeading = true;

  constructor(private readonly podName: string) {}

  isLeader(): boolean {
    return this.isLeading;
  }

  async leader(): Promise<string | null> {
    return this.isLeading ? this.podName : null;
  }

  async stepDown(): Promise<void> {
    this.isLeading = false;
  }
}
