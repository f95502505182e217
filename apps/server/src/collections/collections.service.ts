import { Inject, Injectable } from '@nestjs/common';
import { fittingSettings } from '@core/chunking';
import { chooseRebuild } from '@core/indexing';
import {
  allItems,
  errorFields,
  RepotideError,
  Embedders,
  type GateVerdict,
  GenerationStore,
  type IndexGeneration,
  KEEP_RETIRED_HOURS,
  Logger,
  type RebuildProgress,
  RepositoryStore,
  type SearchGate,
  VectorStore,
  type VisibleRepositories,
} from '@core/domain';
import { SearchGates } from '@adapters/postgres';
import { type Config } from '@platform/config';
import { CONFIG } from '../injection-tokens.js';
import { COLLECTION_NAME } from '../repositories/collection-name.js';
import { SearchGateService } from './gate/search-gate.service.js';
import { ExecutionsService } from '../executions/executions.service.js';

interface UsedChunks {
  /** Null: this process cannot use the model. */
  chunkSize: number | null;
}

/** A collection with its generations. */
export interface Collection {
  name: string;
  active: (IndexGeneration & UsedChunks & { pointsWithoutTerms: number | null }) | null;
  building: (IndexGeneration & UsedChunks & RebuildProgress & { gate: GateVerdict | null }) | null;
  /** Most recently active first. */
  retired: (IndexGeneration & { retiredAt: Date; dropAt: Date })[];
}

const STORE_TIMEOUT_MS = 10_000;
const KEPT_MS = KEEP_RETIRED_HOURS * 3_600_000;

/** Lists the generations of collections, and switches between them. */
@Injectable()
export class CollectionsService {
  constructor(
    @Inject(CONFIG) private readonly config: Pick<Config, 'chunking'>,
    private readonly executions: ExecutionsService,
    private readonly generations: GenerationStore,
    private readonly repositories: RepositoryStore,
    private readonly embedders: Embedders,
    private readonly vectors: VectorStore,
    private readonly gates: SearchGates,
    private readonly gate: SearchGateService,
    private readonly logger: Logger,
  ) {}

  /** Ordered by name. Leaves out collections without a synced repository. */
  async list(visible: VisibleRepositories): Promise<Collection[]> {
    const found = await this.generations.list();
    const shown = await this.namesOf(visible);
    const names = [...new Set(found.map(({ collectionName }) => collectionName))];
    const own = names.filter((name) => shown === null || shown.has(name));
    return Promise.all(own.map((name) => this.arrange(name, found, visible)));
  }

  /** @throws not_found `collection_not_found`. */
  async get(name: string, visible: VisibleRepositories = null): Promise<Collection> {
    const shown = await this.namesOf(visible);
    const isKnown = COLLECTION_NAME.test(name) && (shown === null || shown.has(name));
    const found = isKnown ? await this.generations.list([name]) : [];
    if (found.length > 0) return this.arrange(name, found, visible);
    const message = `There is no collection "${name}", or none of its repositories has been synced.`;
    throw new RepotideError('not_found', 'collection_not_found', message);
  }

  /**
   * Starts or continues a build of the collection for the configured model, by queueing a sync for each repository.
   * Abandons a build for another model. If the active generation has the configured model, the syncs update it.
   * @returns the number of queued syncs, and the number of busy repositories, whose sync is queued when they are free.
   */
  async reindex(
    name: string,
    requestedBy: string | null,
  ): Promise<{ collection: Collection; queued: number; busy: number }> {
    await this.get(name);
    const { id: generationId } = await this.generations.open(name, (found) =>
      chooseRebuild(found, this.embedders),
    );
    await this.generations.requestBuild(generationId);
    let [queued, busy] = [0, 0];
    const repositories = await allItems((page) => this.repositories.list({ collectionName: name }, page));
    for (const { id } of repositories) {
      try {
        await this.executions.start(id, { requestedBy, fullSync: false });
        queued++;
      } catch (error) {
        // The repository was deleted or became busy after it was listed.
        if (!(error instanceof RepotideError) || !['conflict', 'not_found'].includes(error.kind)) throw error;
        if (error.kind === 'conflict') busy++;
      }
    }
    return { collection: await this.get(name), queued, busy };
  }

  /**
   * Activates the generation that was active before. A second call switches back.
   * @returns the number of repositories for which that generation holds another commit, or none.
   * @throws not_found `collection_not_found`; conflict `nothing_to_roll_back_to`.
   */
  async rollBack(name: string): Promise<{ collection: Collection; repositoriesBehind: number }> {
    const { active, retired } = await this.get(name);
    const [former] = retired;
    if (!active || !former) {
      const message = `Collection "${name}" has no former index. To switch to one that is being built, use activate.`;
      throw new RepotideError('conflict', 'nothing_to_roll_back_to', message);
    }
    await this.switchTo(former);
    const repositoriesBehind = await this.generations.countBehind(former.id, active.id);
    return { collection: await this.get(name), repositoriesBehind };
  }

  /**
   * @throws not_found `collection_not_found`; conflict `nothing_to_activate`; unless forced also conflict `rebuild_incomplete`,
   *   `search_quality_lower`, and the errors of a search.
   */
  async activate(name: string, force: boolean, signal: AbortSignal): Promise<Collection> {
    const { building } = await this.get(name);
    if (!building) {
      const message = `Collection "${name}" is not being rebuilt.`;
      throw new RepotideError('conflict', 'nothing_to_activate', message);
    }
    if (!building.isComplete && !force) throw incomplete(name, building);
    if (!force) await this.gate.demandPass(building, signal);
    await this.switchTo(building);
    return this.get(name);
  }

  /** @throws not_found `collection_not_found`, `gate_not_found`. */
  async gateOf(name: string): Promise<SearchGate> {
    await this.get(name);
    const gate = await this.gates.find(name);
    if (gate) return gate;
    const message = `Collection "${name}" has no gate: a rebuilt index is used when it is complete.`;
    throw new RepotideError('not_found', 'gate_not_found', message);
  }

  /** @throws not_found `collection_not_found`. */
  async putGate(
    name: string,
    gate: Pick<SearchGate, 'questions' | 'maxLoss' | 'updatedBy'>,
  ): Promise<SearchGate> {
    await this.get(name);
    return this.gates.put(name, gate);
  }

  /** Safe to repeat. @throws not_found `collection_not_found`. */
  async removeGate(name: string): Promise<void> {
    await this.get(name);
    await this.gates.remove(name);
  }

  /** Postgres is the source of truth. If moving the alias in the vector store fails, a chore repeats it. */
  private async switchTo({ id, collectionName, physicalName, modelId }: IndexGeneration): Promise<void> {
    await this.generations.activate(id);
    const fields = { collection: collectionName, generation_id: id, model: modelId };
    this.logger.info(fields, 'active index switched');
    try {
      await this.vectors.pointAlias(collectionName, physicalName, AbortSignal.timeout(STORE_TIMEOUT_MS));
    } catch (thrown) {
      this.logger.warn({ ...fields, ...errorFields(thrown) }, 'alias not moved; a chore repeats it');
    }
  }

  /** Null for a caller with a scope, because the store counts the points of all repositories. */
  private async countWithoutTerms(
    { physicalName }: IndexGeneration,
    visible: VisibleRepositories,
  ): Promise<number | null> {
    if (visible !== null) return null;
    const signal = AbortSignal.timeout(STORE_TIMEOUT_MS);
    return this.vectors.countWithoutTerms(physicalName, null, signal).catch(() => null);
  }

  /** The collections of repositories; null: all. */
  private async namesOf(visible: VisibleRepositories): Promise<ReadonlySet<string> | null> {
    if (visible === null) return null;
    const own = await allItems((page) => this.repositories.list({ visible }, page));
    return new Set(own.map(({ collectionName }) => collectionName));
  }

  private async arrange(
    name: string,
    found: readonly IndexGeneration[],
    visible: VisibleRepositories,
  ): Promise<Collection> {
    const own = found.filter(({ collectionName }) => collectionName === name);
    const [active, building] = (['active', 'building'] as const).map((status) =>
      own.find((generation) => generation.status === status),
    );
    return {
      name,
      active: active
        ? {
            ...active,
            ...(await this.usedChunks(active)),
            pointsWithoutTerms: await this.countWithoutTerms(active, visible),
          }
        : null,
      building: building
        ? {
            ...building,
            ...(await this.usedChunks(building)),
            ...(await this.generations.progressOf(building, visible)),
            // The questions may be about repositories outside of the caller's scope.
            gate: visible === null ? await this.gates.verdictOf(building.id) : null,
          }
        : null,
      retired: own
        .flatMap((generation) => {
          const { status, retiredAt } = generation;
          if (status !== 'retired' || retiredAt === null) return [];
          return [{ ...generation, retiredAt, dropAt: new Date(retiredAt.getTime() + KEPT_MS) }];
        })
        .sort((left, right) => Number(right.retiredAt) - Number(left.retiredAt)),
    };
  }

  /** Reads what a probe found before; sends nothing to the server. */
  private async usedChunks(generation: IndexGeneration): Promise<UsedChunks> {
    const { size: chunkSize, overlap: chunkOverlap } = this.config.chunking;
    const longest = await this.embedders.find(generation)?.longestChunk(chunkSize, null);
    if (longest === undefined) return { chunkSize: null };
    return { chunkSize: fittingSettings({ chunkSize, chunkOverlap }, longest).chunkSize };
  }
}

function incomplete(name: string, progress: RebuildProgress): RepotideError {
  const { repositoriesDone: done, repositoriesTotal: total, filesFailed: failed } = progress;
  const message =
    `The rebuild of collection "${name}" has ${done} of ${total} repositories, and failed on ${failed} files that ` +
    'searches find now. Repeat with {"force": true} to activate it anyway.';
  return new RepotideError('conflict', 'rebuild_incomplete', message, {
    details: { repositories_done: done, repositories_total: total, files_failed: failed },
  });
}
