import { Inject, Injectable } from '@nestjs/common';
import { KEEP_RETIRED_HOURS, GenerationStore, Logger, VectorStore } from '@core/domain';
import { SearchGateService } from '../collections/gate/search-gate.service.js';
import { type Chore, forEachOf } from './chore.js';

/**
 * Activates complete rebuilt indexes, because a crash or a gate may have prevented the switch after the last run. Those with
 * a gate are judged first; a failure there stops no other.
 */
@Injectable()
export class ActivateRebuilds implements Chore {
  readonly name = 'index-switch';

  constructor(
    private readonly generations: GenerationStore,
    @Inject(SearchGateService) private readonly gates: Pick<SearchGateService, 'judgeIfDue'>,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const generations = await this.generations.list();
    const building = generations.filter(({ status }) => status === 'building');
    await forEachOf(building, async (generation) => {
      try {
        await this.gates.judgeIfDue(generation, signal);
      } finally {
        await this.generations.activateIfComplete(generation.id);
      }
    });
  }
}

/** Points each collection's alias in the vector store to the active index. One that cannot be moved stops no other. */
@Injectable()
export class PointAliases implements Chore {
  readonly name = 'index-alias';

  constructor(
    private readonly generations: GenerationStore,
    private readonly vectors: VectorStore,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const generations = await this.generations.list();
    const active = generations.filter(({ status }) => status === 'active');
    await forEachOf(active, ({ collectionName, physicalName }) =>
      this.vectors.pointAlias(collectionName, physicalName, signal),
    );
  }
}

/** Deletes the points of indexes that were retired more than 72 hours ago. */
@Injectable()
export class DropRetiredIndexes implements Chore {
  readonly name = 'index-drop';

  constructor(
    private readonly logger: Logger,
    private readonly generations: GenerationStore,
    private readonly vectors: VectorStore,
  ) {}

  async run(signal: AbortSignal): Promise<void> {
    const expired = await this.generations.listExpired(KEEP_RETIRED_HOURS);
    for (const { id, collectionName, physicalName, modelId } of expired) {
      await this.vectors.dropCollection(physicalName, signal);
      await this.generations.forget(id);
      const fields = { collection: collectionName, generation_id: id, model: modelId };
      this.logger.info(fields, 'former index dropped');
    }
  }
}
