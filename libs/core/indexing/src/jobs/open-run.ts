import { randomUUID } from 'node:crypto';
import { fittingSettings, type SplitSettings } from '@core/chunking';
import {
  RepotideError,
  type ActiveRun,
  type BudgetStore,
  type Embedder,
  type Embedders,
  type GenerationStore,
  type IndexGeneration,
  type Manifest,
  type ManifestStore,
  type Repository,
  type SourceFactory,
} from '@core/domain';
import {
  DEFAULT_SYNC_LIMITS,
  type IndexingPorts,
  type SyncLimits,
  type SyncRequest,
} from '../run/sync-run.js';
import { WaitTracker } from '../run/wait-tracker.js';
import { chooseGeneration, isUnused } from './choose-generation.js';

/** Source, embedder and manifest are missing here because each run opens its own. */
export interface HandlerPorts extends Omit<
  IndexingPorts,
  'source' | 'embedder' | 'manifest' | 'generations'
> {
  embedders: Embedders;
  generations: GenerationStore;
  manifest: ManifestStore;
  sources: SourceFactory;
  repositories: { markPurged(repositoryId: string): Promise<void> };
  budgets: BudgetStore;
  fetchConcurrency: number;
  secretsPolicy: SyncRequest['secretsPolicy'];
  /** Replaces some of the default limits. */
  syncLimits?: Partial<SyncLimits>;
}

/** The generation that a run works on. */
export interface OpenIndex {
  generation: IndexGeneration;
  manifest: Manifest;
  /** The generation's name in the vector store. */
  collection: string;
  /** With its index state in the generation. */
  repository: Repository;
}

type PlannedIndex = Omit<OpenIndex, 'generation'> &
  Pick<SyncRequest, 'isModelConfirmed'> & { generation: { id: string }; embedder: Embedder };
type Ports = Pick<HandlerPorts, 'generations' | 'embedders' | 'manifest'>;
type StorePorts = Ports & Pick<HandlerPorts, 'vectorStore'>;

/**
 * Opens or creates the generation that this process writes, with the embedder of its model.
 * @throws temporary `embedding_model_unavailable`.
 */
export async function openToWrite(
  ports: StorePorts,
  repository: Repository,
  signal: AbortSignal,
): Promise<OpenIndex & PlannedIndex> {
  const { configured } = ports.embedders;
  const isAnswered = await configured.identify(signal);
  const { collectionName } = repository;
  const known = await ports.generations.list([collectionName]);
  const isMadeBeforehand = await findMadeBeforehand(ports, collectionName, known, signal);
  const choose = (found: IndexGeneration[]) => chooseGeneration(found, ports.embedders, isMadeBeforehand);
  const generation = await ports.generations.open(collectionName, choose, known);
  const embedder = ports.embedders.find(generation);
  if (!embedder) {
    throw new RepotideError('internal', 'internal_error', `No embedder makes ${generation.modelId}.`);
  }
  const isModelConfirmed = isAnswered && embedder === configured;
  return { ...(await open(ports, repository, generation)), embedder, isModelConfirmed };
}

/** Asks the store only while no generation of the collection has points there. */
async function findMadeBeforehand(
  { embedders, vectorStore }: StorePorts,
  name: string,
  known: readonly IndexGeneration[],
  signal: AbortSignal,
): Promise<boolean> {
  const active = known.find(({ status }) => status === 'active');
  if (active && !isUnused(active)) return false;
  const { id: modelId, dimensions } = embedders.configured.model;
  return vectorStore.isMadeBeforehand({ name, modelId, dimensions }, signal);
}

/** Like {@link openToWrite}, but creates nothing: a generation that does not exist yet is empty. */
export async function openToPlan(ports: Ports, repository: Repository): Promise<PlannedIndex> {
  const { collectionName } = repository;
  const choice = chooseGeneration(await ports.generations.list([collectionName]), ports.embedders);
  const { configured } = ports.embedders;
  if (choice.kind === 'use') {
    const embedder = ports.embedders.find(choice.generation) ?? configured;
    return { ...(await open(ports, repository, choice.generation)), embedder, isModelConfirmed: false };
  }
  const generation = { id: randomUUID() };
  const manifest = ports.manifest.of(generation.id);
  const withState = { ...repository, ...(await manifest.stateOf(repository.id)) };
  const index = { generation, manifest, collection: collectionName, repository: withState };
  return { ...index, embedder: configured, isModelConfirmed: false };
}

/** The active generation of any model; null before the first run of the collection. */
export async function openToRead(ports: Ports, repository: Repository): Promise<OpenIndex | null> {
  const found = await ports.generations.list([repository.collectionName]);
  const active = found.find(({ status }) => status === 'active');
  return active ? open(ports, repository, active) : null;
}

async function open(ports: Ports, repository: Repository, generation: IndexGeneration): Promise<OpenIndex> {
  const manifest = ports.manifest.of(generation.id);
  // The repository was read with its state in the generation that was active then.
  const isRead = repository.generationId === generation.id;
  const state = isRead ? {} : await manifest.stateOf(repository.id);
  const collection = generation.physicalName;
  return { generation, manifest, collection, repository: { ...repository, ...state } };
}

/** The parts of a run that decide what it does. */
export interface PlannedRun extends Omit<ActiveRun, 'execution'> {
  execution: Pick<ActiveRun['execution'], 'fullSync'> & Partial<Pick<ActiveRun['execution'], 'report'>>;
}

/**
 * Opens the repository's source, builds the request of a sync, and does the work with both; then closes the source. A plan
 * asks the embedding server nothing.
 */
export async function withSource<T>(
  { identity, signal, counters, execution }: PlannedRun,
  { generation, repository, collection, manifest, embedder, isModelConfirmed }: PlannedIndex,
  ports: HandlerPorts,
  isPlan: boolean,
  work: (request: SyncRequest, ports: IndexingPorts) => Promise<T>,
): Promise<T> {
  const { fullSync, report: found = null } = execution;
  const waits = new WaitTracker(counters, ports.clock);
  const { projectPath, maxFileBytes, lastSyncedCommit } = repository;
  const isFirst = fullSync || lastSyncedCommit === null;
  const isEverything = !isPlan && isFirst && repository.includeGlobs.length === 0;
  const reading = { projectPath, maxFileBytes, isEverything };
  const source = await ports.sources.open(repository, signal, { observer: waits, reading });
  try {
    const limits = { ...DEFAULT_SYNC_LIMITS, fetchConcurrency: ports.fetchConcurrency, ...ports.syncLimits };
    const { secretsPolicy } = ports;
    const chunking = await chunkingOf(repository, embedder, isPlan ? null : signal);
    const index = { identity, repository, generationId: generation.id, collection };
    const model = { chunking, isModelConfirmed };
    const request = { ...index, ...model, fullSync, found, secretsPolicy, signal, limits, counters, waits };
    return await work(request, { ...ports, source, embedder, manifest });
  } finally {
    await source.close();
  }
}

/** A server that does not answer now gets another request before the run embeds. */
async function chunkingOf(
  repository: Repository,
  embedder: Embedder,
  signal: AbortSignal | null,
): Promise<SplitSettings> {
  const { chunkSize } = repository;
  const longest = await embedder.longestChunk(chunkSize, signal).catch((error: unknown) => {
    if (signal === null || signal.aborted) throw error;
    return embedder.longestChunk(chunkSize, null);
  });
  return fittingSettings(repository, longest);
}
