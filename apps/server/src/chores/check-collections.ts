import { Injectable } from '@nestjs/common';
import { findLeftovers, sweepStrays } from '@core/indexing';
import { GenerationStore, Logger, VectorStore } from '@core/domain';
import { type Chore, forEachOf } from './chore.js';
import { listUsed, type UsedGeneration } from './used-generations.js';

/**
 * Notices collections that were dropped or replaced, and points of repositories that Postgres does not know, without
 * waiting for a run. The indexes of a lost collection become suspect, so that the next chore queues their runs.
 */
@Injectable()
export class CheckCollections implements Chore {
  readonly name = 'collections';
  private readonly reported = new Set<string>();

  constructor(
    private readonly logger: Logger,
    private readonly generations: GenerationStore,
    private readonly vectors: VectorStore,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    try {
      // One that fails, for example because the key has no permission for its collection, stops no other.
      await forEachOf(await listUsed(this.generations), (generation) => this.check(generation, signal));
    } finally {
      await this.reportLeftovers(signal);
    }
  }

  /** Only a repair removes whole collections. Each is reported once by each leader. */
  private async reportLeftovers(signal: AbortSignal): Promise<void> {
    const { generations, vectors: vectorStore, logger } = this;
    for (const collection of await findLeftovers({ generations, vectorStore }, signal)) {
      if (this.reported.has(collection)) continue;
      this.reported.add(collection);
      const found = 'Qdrant has a collection of this installation that Postgres does not know';
      logger.warn(
        { collection },
        `${found}, as after an older backup was restored: the next repair removes it`,
      );
    }
  }

  private async check(generation: UsedGeneration, signal: AbortSignal): Promise<void> {
    const { id, collectionName: collection, physicalName, incarnation: known } = generation;
    const found = await this.vectors.incarnationOf(physicalName, signal);
    if (found === known) {
      const { generations, vectors: vectorStore, logger } = this;
      await sweepStrays(generation, { generations, vectorStore, logger }, signal);
      return;
    }
    const adopted = await this.generations.adoptCollection(id, found, { known });
    if (!adopted) return;
    const fields = { collection, generation_id: id, lost_repositories: adopted.lost };
    const what =
      found === null ? 'the collection is missing' : 'the collection was dropped and created again';
    this.logger.warn(fields, `${what}: runs restore the points of its repositories`);
  }
}
