export const GENERATION_STATUSES = ['building', 'active', 'retired', 'dropped'] as const;
/**
 * - building: filled by runs, not used by searches.
 * - active: used by searches and the API; one per collection.
 * - retired: was active; kept for a rollback, then dropped.
 * - dropped: its points are removed, or will be.
 */
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** One build of a collection with one embedding model: an `index_generations` row. */
export interface IndexGeneration {
  id: string;
  /** The name in the API. */
  collectionName: string;
  /** Name of its collection in the vector store. */
  physicalName: string;
  /** {@link EmbeddingModel.id} of its vectors. */
  modelId: string;
  dimensions: number;
  /** The embedding server that made its vectors; null: none was needed. */
  modelServer: string | null;
  status: GenerationStatus;
  createdAt: Date;
  /** When a run last began to work on it while it was being built. */
  usedAt: Date;
  activatedAt: Date | null;
  retiredAt: Date | null;
}

export type GenerationModel = Pick<IndexGeneration, 'modelId' | 'dimensions' | 'modelServer'>;

/** Which generation a run uses. */
export type GenerationChoice =
  | { kind: 'use'; generation: IndexGeneration }
  | { kind: 'make'; model: GenerationModel; status: 'building' | 'active' }
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

/** The generations in Postgres, which decides which one is active. */
/** A former index is kept for a roll-back for so long after another model took over; then it is dropped. */
export const KEEP_RETIRED_HOURS = 72;

export abstract class GenerationStore {
  /**
   * Calls `choose` with the collection's generations (newest first, without dropped ones) and carries out its choice.
   * A change is decided under a lock, so `choose` may be called twice.
   */
  abstract open(
    collectionName: string,
    choose: (generations: IndexGeneration[]) => GenerationChoice,
  ): Promise<IndexGeneration>;
  /** Newest first, without the dropped ones; absent: of all collections. */
  abstract list(collectionNames?: readonly string[]): Promise<IndexGeneration[]>;
  abstract progressOf(generation: IndexGeneration): Promise<RebuildProgress>;
  /** Repositories of `than` that this generation has at another commit, or not at all. */
  abstract countBehind(generationId: string, than: string): Promise<number>;
  /**
   * building -> active once it has everything that the active one has, which is retired in the same transaction.
   * False when it is incomplete or not being built. Safe to repeat.
   */
  abstract activateIfComplete(generationId: string): Promise<boolean>;
  /**
   * Activates a generation that is being built or retired, complete or not. Safe to repeat.
   * @throws conflict `generation_dropped`.
   */
  abstract activate(generationId: string): Promise<IndexGeneration>;
  /**
   * Marks as dropped what was retired, or was being built and not worked on, for so long; never the active one.
   * @returns all whose points and rows are still to be removed.
   */
  abstract listExpired(keepHours: number): Promise<IndexGeneration[]>;
  /** Removes manifest and folders of a dropped generation. Safe to repeat. */
  abstract forget(generationId: string): Promise<void>;
}
