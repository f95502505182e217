import { createHash, timingSafeEqual } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CIRCUIT_STATES, LeaderElection, ProgressStore } from '@core/domain';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from './metrics.js';
import { SnapshotsService } from './snapshots.service.js';

/** The text that Prometheus scrapes, and who may read it. */
@Injectable()
export class MetricsPage {
  static readonly contentType = 'text/plain; version=0.0.4; charset=utf-8';

  constructor(
    private readonly metrics: Metrics,
    private readonly snapshots: SnapshotsService,
    private readonly election: LeaderElection,
    private readonly progress: ProgressStore,
    @Inject(CONFIG) private readonly config: Pick<Config, 'metrics'>,
  ) {}

  /** Whether an `Authorization` header has METRICS_TOKEN; true without that setting. */
  admits(authorization: string | undefined): boolean {
    const { token } = this.config.metrics;
    if (token === undefined) return true;
    const [, found = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    return timingSafeEqual(digestOf(found), digestOf(token));
  }

  async render(): Promise<string> {
    this.metrics.isLeader.set(this.election.isLeader() ? 1 : 0);
    const current = this.progress.state();
    for (const state of CIRCUIT_STATES)
      this.metrics.progressBreaker.set({ state }, state === current ? 1 : 0);
    await this.snapshots.refresh();
    return this.metrics.registry.metrics();
  }
}

/** Digests have the same length, which the comparison needs. */
function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
