import { Injectable } from '@nestjs/common';
import { GenerationStore, type IndexGeneration, Logger, VectorStore } from '@core/domain';
import { termsOf } from '@core/search';
import { type Chore } from './chore.js';

/**
 * Gives points that have no terms those of their stored text, without embedding anything: points of an older version of
 * Repotide, and points whose terms were lost. Until then a search finds them by meaning alone.
 */
@Injectable()
export class FillTerms implements Chore {
  readonly name = 'terms';
  /** Collections whose server cannot add terms to them, reported once. */
  private readonly unable = new Set<string>();

  constructor(
    private readonly logger: Logger,
    private readonly generations: GenerationStore,
    private readonly vectors: VectorStore,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    for (const generation of await this.generations.list()) {
      const { incarnation, status, physicalName } = generation;
      if (incarnation === null || status === 'retired' || this.unable.has(physicalName)) continue;
      await this.fill(generation, signal);
    }
  }

  private async fill({ collectionName, physicalName }: IndexGeneration, signal: AbortSignal): Promise<void> {
    const without = await this.vectors.countWithoutTerms(physicalName, null, signal);
    if (without === 0) return;
    let filled = 0;
    for (const id of await this.generations.listOwners(collectionName)) {
      filled += await this.vectors.fillTerms(physicalName, id, termsOf, signal);
    }
    const fields = { collection: collectionName, points_without_terms: without, filled };
    if (filled > 0) {
      this.logger.info(
        fields,
        'points got the terms of their stored text, so that searches find them by words',
      );
      return;
    }
    this.unable.add(physicalName);
    this.logger.warn(
      fields,
      'Searches of this collection use meaning alone, because this Qdrant cannot add terms to it: use Qdrant 1.18 or newer, ' +
        'or drop the collection, so that the next runs make it anew',
    );
  }
}
