import { Inject, Injectable } from '@nestjs/common';
import { type EmbeddingCacheKeeper } from '@core/domain';
import { EMBEDDING_CACHE_KEEPER } from '../injection-tokens.js';
import { Metrics } from '../metrics/metrics.js';
import { type Chore } from './chore.js';

/** Keeps the embedding cache within its bound and exports its size. */
@Injectable()
export class EvictEmbeddingCache implements Chore {
  readonly name = 'embedding-cache';

  constructor(
    @Inject(EMBEDDING_CACHE_KEEPER) private readonly keeper: EmbeddingCacheKeeper,
    private readonly metrics: Metrics,
  ) {}

  async run(): Promise<void> {
    const { evicted, entries, bytes } = await this.keeper.evict();
    this.metrics.embeddingCacheEvictions.inc(evicted);
    this.showSize(entries, bytes);
  }

  /** The numbers of a former leader would look current. */
  standBy(): void {
    this.showSize(0, 0);
  }

  private showSize(entries: number, bytes: number): void {
    this.metrics.embeddingCacheEntries.set(entries);
    this.metrics.embeddingCacheBytes.set(bytes);
  }
}
