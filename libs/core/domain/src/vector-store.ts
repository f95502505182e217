import { type Point, type PointPayload } from './chunk.js';
import { type Terms } from './terms.js';

export interface CollectionSpec {
  name: string;
  dimensions: number;
  /** {@link EmbeddingModel.id}: vectors of two models never share a collection. */
  modelId: string;
}

export interface FileRef {
  repositoryId: string;
  path: string;
}

/** A stored point without its vector. Text and hash are present only if requested. */
export type StoredPoint = { id: string } & Pick<
  PointPayload,
  'path' | 'blob_sha' | 'file_version' | 'chunk_index' | 'fence'
> &
  Partial<Pick<PointPayload, 'content_hash' | 'text'>>;

export interface SearchFilter {
  /** Empty or absent: all. */
  repositoryIds?: readonly string[];
  /** A folder (`src/app`) or a file path; matches itself and everything below. */
  pathPrefix?: string;
  language?: string;
}

/**
 * - hybrid: the best points of both lanes.
 * - dense: by meaning, the cosine of vectors.
 * - lexical: by words, the sum of the weights of common terms times their rarity in the collection.
 */
export type SearchLane = 'hybrid' | 'dense' | 'lexical';

export interface LaneQuery {
  lane: SearchLane;
  /** The query's vector; the dense lane needs it. */
  vector?: Float32Array;
  /** The query's terms; the lexical lane needs them. */
  terms?: Terms;
  /** How many points of each lane: 1 to 100. */
  limit: number;
  filter: SearchFilter;
}

/** Null: not among the best points of this lane, or the lane was not searched. */
export interface LaneScores {
  /** Cosine similarity, -1 to 1. */
  dense: number | null;
  /** More than 0, without an upper limit. */
  lexical: number | null;
}

export interface SearchHit {
  id: string;
  scores: LaneScores;
  payload: PointPayload;
}

/** Which points are read to look for a text in them. */
export interface ScanQuery {
  filter: SearchFilter;
  /** Terms that the text has, the rarest first as far as known. Empty: unknown. */
  terms: Uint32Array;
  /** A part of the text; null: unknown. */
  literal: string | null;
  /** Whether letters of `literal` may have any case. */
  ignoreCase: boolean;
  /** Ids of points that were read before; a store may leave them out. */
  known: ReadonlySet<string>;
}

export interface ScannedPage {
  points: { id: string; payload: PointPayload }[];
  /** Stored points that this page stands for; others of them cannot have the text. */
  examined: number;
}

/** Exact facts about the points of one repository. A roll-back of the store, or a loss of points, changes them. */
export interface PointTally {
  points: number;
  /** The highest fence of its points; null: it has none. */
  newestFence: number | null;
  /** How many of its points have that fence. */
  atNewestFence: number;
}

/**
 * Stores points. A read that starts after a write has resolved sees the write. Every write is idempotent.
 * All methods throw {@link RepotideError}: temporary `vector_store_unavailable`, conflict `collection_mismatch`.
 */
export abstract class VectorStore {
  /**
   * Creates the collection and its payload indexes on first use; safe with concurrent callers. Then checks its settings.
   * @returns its incarnation: another one after the collection was dropped and created again.
   * @throws conflict `collection_mismatch`, without a change, with the found and expected dimensions or model.
   */
  abstract ensureCollection(spec: CollectionSpec, signal: AbortSignal): Promise<string>;
  /** Null when the collection is missing, or was not made by {@link ensureCollection}. */
  abstract incarnationOf(collection: string, signal: AbortSignal): Promise<string | null>;
  /**
   * Moves `alias`, the name for direct queries to the store, to the collection in one atomic step. Does nothing when it
   * is already there or the collection is missing, has this name itself, or when the store's key may not change aliases.
   * A store without direct queries needs no aliases.
   * @throws conflict `alias_is_collection` when a collection has that name which is no index.
   */
  abstract pointAlias(alias: string, collection: string, signal: AbortSignal): Promise<void>;
  /**
   * Whether someone made a collection of this name, empty and fitting, that an index can use.
   * @throws conflict `collection_mismatch` when there is a collection of this name which an index cannot use.
   */
  abstract isMadeBeforehand(spec: CollectionSpec, signal: AbortSignal): Promise<boolean>;
  /**
   * Collections that this installation made, without the known ones. Without the right to list collections, and in a store
   * of this database alone: none.
   */
  abstract leftovers(known: readonly string[], signal: AbortSignal): Promise<string[]>;
  /** Removes the collection and all its points. Safe to repeat. */
  abstract dropCollection(collection: string, signal: AbortSignal): Promise<void>;
  /** Adds or replaces points by id. If the server supports it, points with a higher fence are not replaced. */
  abstract upsert(collection: string, points: readonly Point[], signal: AbortSignal): Promise<void>;
  /**
   * Removes all points of each file except those of `keepVersion`.
   * @returns the number of removed points; exact while there is only one writer.
   */
  abstract deleteFiles(
    collection: string,
    repositoryId: string,
    files: readonly { path: string; keepVersion?: string }[],
    signal: AbortSignal,
  ): Promise<number>;
  abstract deletePoints(collection: string, ids: readonly string[], signal: AbortSignal): Promise<void>;
  /** Removes all points of a repository; a missing collection counts as empty. */
  abstract deleteRepository(collection: string, repositoryId: string, signal: AbortSignal): Promise<void>;
  /** All points of a repository in pages, in any order; a missing collection counts as empty. */
  abstract listPoints(
    collection: string,
    repositoryId: string,
    signal: AbortSignal,
    options?: { withText: boolean },
  ): AsyncIterable<StoredPoint[]>;
  /** The points of one file version with vectors, ordered by chunk_index; empty when there are none. */
  abstract readFile(
    collection: string,
    file: FileRef,
    fileVersion: string,
    signal: AbortSignal,
  ): Promise<Point[]>;
  /** Exact count of a repository's points, or of the whole collection; a missing collection counts as 0. */
  abstract count(collection: string, repositoryId: string | null, signal: AbortSignal): Promise<number>;
  /** In one request where the server can. A missing collection counts as empty. */
  abstract tally(collection: string, repositoryId: string, signal: AbortSignal): Promise<PointTally>;
  /** The repositories with points in the collection, without the given ones. A missing collection counts as empty. */
  abstract otherRepositories(
    collection: string,
    known: readonly string[],
    signal: AbortSignal,
  ): Promise<string[]>;
  /**
   * The best points of a lane first; of both lanes: the best of the dense lane, then what only the lexical lane has. None if
   * the collection is missing. A point without terms is found by the dense lane alone.
   */
  abstract search(collection: string, query: LaneQuery, signal: AbortSignal): Promise<SearchHit[]>;
  /** Whether points of the collection can have terms. A missing collection has none. */
  abstract hasTerms(collection: string, signal: AbortSignal): Promise<boolean>;
  /**
   * Every point that may have a text, in pages and in any order: all that match the filter, have all the terms (or have no
   * terms stored) and contain the literal; a store may also yield others. A missing collection counts as empty.
   */
  abstract scan(collection: string, query: ScanQuery, signal: AbortSignal): AsyncIterable<ScannedPage>;
  /** Points of a repository, or of the whole collection, that have no terms. A missing collection counts as empty. */
  abstract countWithoutTerms(
    collection: string,
    repositoryId: string | null,
    signal: AbortSignal,
  ): Promise<number>;
  /**
   * Gives each point of the repository that has no terms those of its stored text. Safe to repeat.
   * @returns how many points got them; 0 when the server cannot add terms to a collection that was made without.
   */
  abstract fillTerms(
    collection: string,
    repositoryId: string,
    termsOf: (point: Pick<PointPayload, 'path' | 'text'>) => Terms,
    signal: AbortSignal,
  ): Promise<number>;
  /**
   * Throws when the store is not available.
   * @returns what does not work although the store is available: a sentence for each permission that its key lacks.
   */
  abstract checkHealth(signal: AbortSignal): Promise<string[]>;
}
