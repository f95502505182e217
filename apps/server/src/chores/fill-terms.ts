import { Injectable } from '@nestjs/common';
import { GenerationStore, type IndexGeneration, Logger, VectorStore } from '@core/domain';
import { termsOf } from '@core/search';
import { type Chore, forEachOf } from './chore.js';
import { listUsed } from './used-generations.js';

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
    await forEachOf(await listUsed(this.generations), (generation) => this.fill(generation, signal));
  }

  private async fill({ collectionName, physicalName }: IndexGeneration, signal: AbortSignal): Promise<void> {
    if (this.unable.has(physicalName)) return;
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
      const message = 'points got the terms of their stored text, so that searches find them by words';
      return this.logger.info(fields, message);
    }
    this.unable.add(physicalName);
    this.logger.warn(
      fields,
      'Searches of this collection use meaning alone, because this Qdrant cannot add terms to it: use Qdrant 1.18 or newer, ' +
        'or drop the collection, so that the next runs make it anew',
    );
  }
}
