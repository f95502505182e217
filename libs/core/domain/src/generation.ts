import { type VisibleRepositories } from './scope.js';

export const GENERATION_STATUSES = ['building', 'active', 'retired', 'dropped'] as const;
/**
 * - building: filled by runs, not used by searches.
 * - active: used by searches and the API; one per collection.
 * - retired: was active; kept for a rollback, then dropped.
 * - dropped: its points are removed or about to be.
 */
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** One build of a collection with one embedding model: an `index_generations` row. */
export interface IndexGeneration {
  id: string;
  collectionName: string;
  /** Name of its collection in the vector store: its own, or one of the collection's name that was made beforehand. */
  physicalName: string;
  /** {@link EmbeddingModel.id} of its vectors. */
  modelId: string;
  dimensions: number;
  /** The embedding server of its vectors; null: they were made without a server. */
  modelServer: string | null;
  status: GenerationStatus;
  /** Identifies the store's collection that holds its points; null: there is none, as far as is known. */
  incarnation: string | null;
  createdAt: Date;
  /** Start of the last run that worked on it while it was being built. */
  usedAt: Date;
  activatedAt: Date | null;
  retiredAt: Date | null;
}

export type GenerationModel = Pick<IndexGeneration, 'modelId' | 'dimensions' | 'modelServer'>;

export type GenerationChoice =
  | { kind: 'use'; generation: IndexGeneration }
  /** `isMadeBeforehand`: its points go to the store's collection of the same name, which exists. */
  | { kind: 'make'; model: GenerationModel; status: 'building' | 'active'; isMadeBeforehand?: boolean }
  /** The generation never had points, or lost them; from now on the store's collection of the same name has them. */
  | { kind: 'adopt'; generation: IndexGeneration }
  /** Continues a retired generation; drops another one that is being built. */
  | { kind: 'rebuild'; model: GenerationModel };

/** Progress of a generation that is being built, compared with the active one. */
export interface RebuildProgress {
  /** Repositories of the active generation. */
  repositoriesTotal: number;
  /** How many of them are completely synced in the new generation. */
  repositoriesDone: number;
  /** Files that are indexed in the active generation and failed in the new one. */
  filesFailed: number;
  isComplete: boolean;
}

/** A retired generation is kept this long for a rollback, then dropped. */
export const KEEP_RETIRED_HOURS = 72;

/** The generations in Postgres, which decides which one is active. */
export abstract class GenerationStore {
  /**
   * Calls `choose` with the collection's generations (newest first, without dropped ones) and executes its choice. A
   * change is decided again under a lock, so `choose` may be called twice.
   * @param known what `list` has just returned; saves a query.
   */
  abstract open(
    collectionName: string,
    choose: (generations: IndexGeneration[]) => GenerationChoice,
    known?: IndexGeneration[],
  ): Promise<IndexGeneration>;
  /** Notes that a build of all repositories is wanted, so that they are synced without further requests. Safe to repeat. */
  abstract requestBuild(generationId: string): Promise<void>;
  /**
   * Repositories that a requested build lacks, while a worker of its model was seen in this time. One whose sync failed
   * since has a pause of an hour.
   */
  abstract listUnbuilt(silentAfterSeconds: number): Promise<{ id: string }[]>;
  /** Newest first, without dropped ones. Without names: of all collections. */
  abstract list(collectionNames?: readonly string[]): Promise<IndexGeneration[]>;
  /** @param visible counts only these repositories; absent or null: all. */
  abstract progressOf(generation: IndexGeneration, visible?: VisibleRepositories): Promise<RebuildProgress>;
  /** Number of repositories of `than` that this generation has at another commit or not at all. */
  abstract countBehind(generationId: string, than: string): Promise<number>;
  /**
   * building -> active when the generation is complete; retires the active one in the same transaction.
   * False when the generation is incomplete, not being built, or kept back by the collection's gate ({@link SearchGate}).
   * Safe to repeat.
   */
  abstract activateIfComplete(generationId: string): Promise<boolean>;
  /**
   * Activates a generation that is being built or retired, complete or not. Safe to repeat.
   * @throws conflict `generation_dropped`.
   */
  abstract activate(generationId: string): Promise<IndexGeneration>;
  /**
   * Records which collection of the store holds the points of the generation; null: it is missing. When it replaces
   * another one, the indexes of all synced repositories become dirty and lost. That of `own` is not suspected: its run
   * restores it, and so clears both. With `known` it does nothing when another one was recorded in the meantime.
   * @returns null when it was recorded already; otherwise the former one and the number of other lost indexes.
   */
  abstract adoptCollection(
    generationId: string,
    incarnation: string | null,
    options?: { known?: string; own?: string },
  ): Promise<{ former: string | null; lost: number } | null>;
  /** Ids of all repositories that may have points in the collection: also deleted ones that are not purged yet. */
  abstract listOwners(collectionName: string): Promise<string[]>;
  /**
   * Marks generations as dropped that were retired, or being built without a run, for `keepHours`. Keeps the active one.
   * @returns all dropped generations that still have points or rows.
   */
  abstract listExpired(keepHours: number): Promise<IndexGeneration[]>;
  /** Removes the manifest and folders of a dropped generation. Safe to repeat. */
  abstract forget(generationId: string): Promise<void>;
}
