import { type LeaderElection } from '@core/domain';

/** The election of a process that is alone: it always leads, until it stops. */
export class SoleLeader implements LeaderElection {
  private isInOffice = true;

  constructor(private readonly podName: string) {}

  isLeader(): boolean {
    return this.isInOffice;
  }

  async leader(): Promise<string | null> {
    return this.isInOffice ? this.podName : null;
  }

  async stepDown(): Promise<void> {
    this.isInOffice = false;
  }
}
