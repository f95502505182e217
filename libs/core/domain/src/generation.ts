export const GENERATION_STATUSES = ['building', 'active', 'retired', 'dropped'] as const;
/**
 * - building: filled by runs, read by nobody.
 * - active: what searches and the API answer from; one for each collection.
 * - retired: was active; kept for a roll-back, then dropped.
 * - dropped: its points are gone or about to go.
 */
export type GenerationStatus = (typeof GENERATION_STATUSES)[number];

/** One build of a collection with one embedding model: an `index_generations` row. */
export interface IndexGeneration {
  id: string;
  /** The name that people know. */
  collectionName: string;
  /** Where its points are in the vector store. */
  physicalName: string;
  /** {@link EmbeddingModel.id} of all its vectors. */
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

/** What a run of a collection works on. */
export type GenerationChoice =
  | { kind: 'use'; generation: IndexGeneration }
  | { kind: 'make'; model: GenerationModel; status: 'building' | 'active' }
  /** Goes on with one that was retired; another one that is being built is given up. */
  | { kind: 'rebuild'; model: GenerationModel };

/** How far a generation is that is being built, against the active one. */
export interface RebuildProgress {
  /** Repositories that the active one answers from. */
  repositoriesTotal: number;
  /** Those of them of which the new one has a completed sync. */
  repositoriesDone: number;
  /** Files that the active one holds and the new one failed on. */
  filesFailed: number;
  isComplete: boolean;
}

/** Which generations there are, in Postgres: it alone says which is active. */
/** A former index is kept for a roll-back for so long after another model took over; then it is dropped. */
export const KEEP_RETIRED_HOURS = 72;

export abstract class GenerationStore {
  /**
   * Lets `choose` decide on the collection's generations (not the dropped ones, newest first), and makes what it asks
   * for. Whatever is made was decided under a lock: `choose` may be asked twice.
   */
  abstract open(
    collectionName: string,
    choose: (generations: IndexGeneration[]) => GenerationChoice,
  ): Promise<IndexGeneration>;
  /** Newest first, without the dropped ones; absent: of all collections. */
  abstract list(collectionNames?: readonly string[]): Promise<IndexGeneration[]>;
  abstract progressOf(generation: IndexGeneration): Promise<RebuildProgress>;
  /** Repositories that `than` answers from and that this one holds at another commit, or not at all. */
  abstract countBehind(generationId: string, than: string): Promise<number>;
  /**
   * building -> active once it holds all that the active one answers from, which is retired in the same transaction.
   * False when it is not complete, or is not being built. Repeating is harmless.
   */
  abstract activateIfComplete(generationId: string): Promise<boolean>;
  /**
   * Makes one that is being built or was retired the active one, complete or not. Repeating is harmless.
   * @throws conflict `generation_dropped`.
   */
  abstract activate(generationId: string): Promise<IndexGeneration>;
  /**
   * Marks as dropped what was retired, or was being built and not worked on, for so long; never the active one.
   * @returns all whose points and rows are still to be removed.
   */
  abstract listExpired(keepHours: number): Promise<IndexGeneration[]>;
  /** Removes manifest and folders of a dropped one. Repeating is harmless. */
  abstract forget(generationId: string): Promise<void>;
}
