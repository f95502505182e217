import { Inject, Injectable } from '@nestjs/common';
import { EmbeddingCacheEvictor } from '@adapters/postgres';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { type Chore } from './chore.js';

/** Keeps the embedding cache within its bound and exports its size. */
@Injectable()
export class EvictEmbeddingCache implements Chore {
  readonly name = 'embedding-cache';

  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'embeddingCache'>,
    @Inject(EmbeddingCacheEvictor) private readonly keeper: Pick<EmbeddingCacheEvictor, 'evict'>,
    private readonly metrics: Metrics,
  ) {}

  async run(): Promise<void> {
    const { maxVectors } = this.config.embeddingCache;
    const { evicted, entries, bytes } = await this.keeper.evict(maxVectors);
    this.metrics.embeddingCacheEvictions.inc(evicted);
    this.showSize(entries, bytes);
  }

  /** Resets the metrics: the last values of a former leader would look current. */
  standBy(): void {
    this.showSize(0, 0);
  }

  private showSize(entries: number, bytes: number): void {
    this.metrics.embeddingCacheEntries.set(entries);
    this.metrics.embeddingCacheBytes.set(bytes);
  }
}
