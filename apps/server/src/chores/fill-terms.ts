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
    const failures: unknown[] = [];
    for (const generation of await this.generations.list()) {
      const { incarnation, status, physicalName } = generation;
      if (incarnation === null || status === 'retired' || this.unable.has(physicalName)) continue;
      // A collection that fails stops no other.
      await this.fill(generation, signal).catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  private async fill({ collectionName, physicalName }: IndexGeneration, signal: AbortSignal): Promise<void> {
    const without = await this.vectors.countWithoutTerms(physicalName, null, signal);
    if (without === 0) return;
    const owners = await this.generations.listOwners(collectionName);
    // Its points belong to repositories that were removed, or that Postgres does not know.
    if (owners.length === 0) return;
    let filled = 0;
    for (const id of owners) {
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
