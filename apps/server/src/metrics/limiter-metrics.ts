import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { type HostBudget } from '@core/domain';
import { type BookedHostLimiter, type LimiterListener } from '@core/rate-limit';
import { HOST_LIMITER } from '../injection-tokens.js';
import { Metrics } from './metrics.js';

/** Hosts with a label of their own; an installation reads from a few. */
const MAX_HOSTS = 50;

/** Counts what requests of this process met at the hosts' limits. */
@Injectable()
export class LimiterMetrics implements LimiterListener, OnModuleInit {
  private readonly hosts = new Set<string>();

  constructor(
    private readonly metrics: Metrics,
    @Inject(HOST_LIMITER) private readonly limiter: BookedHostLimiter,
  ) {}

  onModuleInit(): void {
    this.limiter.listen(this);
  }

  waited(budget: HostBudget, ms: number): void {
    this.metrics.hostWaitSeconds.inc(this.labelsOf(budget), ms / 1000);
  }

  paused(budget: HostBudget): void {
    this.metrics.hostRefusals.inc(this.labelsOf(budget));
  }

  private labelsOf({ host, name: budget }: HostBudget): { host: string; budget: string } {
    if (this.hosts.size < MAX_HOSTS) this.hosts.add(host);
    return { host: this.hosts.has(host) ? host : 'other', budget };
  }
}
