import { type RuleWarning } from './repository.js';

/** A number of files and the first of their paths. */
export interface PathSample {
  files: number;
  /** At most {@link SAMPLE_PATHS}. */
  first_paths: string[];
}

export const SAMPLE_PATHS = 20;

/** Counts each path once. */
export function samplePaths(paths: Iterable<string>): PathSample {
  const distinct = [...new Set(paths)];
  return { files: distinct.length, first_paths: distinct.slice(0, SAMPLE_PATHS) };
}

/** Whether a number was counted, or estimated because sizes are unknown before the content is read. */
export type Certainty = 'exact' | 'estimated';

/**
 * The work of a sync that would start now. Stored and returned by the API unchanged, hence snake_case. A dry run reads no
 * content, so binary or empty files, secrets and the embedding cache are unknown: tokens assume that every text
 * must be embedded.
 */
export interface DryRunReport {
  kind: 'dry_run';
  from_commit: string | null;
  to_commit: string;
  /** True: a sync would end after one request without any work. */
  is_in_sync: boolean;
  fetched: PathSample;
  copied: PathSample;
  deleted: PathSample;
  /** Excluded by a rule that needs no content. */
  skipped: PathSample;
  /** How most content would be read: `archive`, `graphql` or `blobs`; null when none is needed. */
  fetch_way: 'objects' | 'archive' | 'graphql' | 'blobs' | null;
  /** Requests made for this plan; a sync makes them too. */
  plan_requests: number;
  /** Requests to read the content. */
  fetch_requests: number;
  bytes_fetched: number;
  chunks_embedded: number;
  chunks_copied: number;
  chunks_deleted: number;
  embedding_tokens: number;
  certainty: Record<
    'fetch_requests' | 'bytes_fetched' | 'chunks_embedded' | 'chunks_deleted' | 'embedding_tokens',
    Certainty
  >;
  /** The basis of the estimates, as text. */
  estimated_from: string;
  /** What has no effect in the rule files of the tree. */
  warnings: RuleWarning[];
}

/** Differences between the index and the tree of the commit that it should equal. */
export interface IndexDifferences {
  /** In the tree, not in the manifest. */
  files_missing: PathSample;
  files_stale: PathSample;
  files_extra: PathSample;
  /** Failed in the last sync: the index has their previous version or nothing. */
  files_failed: PathSample;
  /** In the manifest, not in the vector store. */
  points_missing: number;
  /** Points whose path or version is not in the manifest. */
  points_stale: number;
  /** Extra points of a chunk that already has one. */
  points_doubled: number;
  /** Points whose text was changed. */
  points_changed: number;
  /** Points that a search by words does not find: their terms were lost. */
  points_without_terms: number;
  /** Paths of these points; unknown for those without terms. */
  points_in: PathSample;
}

export interface IndexCheck extends IndexDifferences {
  /** The commit that the index should equal; null before the first completed sync. */
  commit: string | null;
  is_equal: boolean;
  files_checked: number;
  points_checked: number;
}

/** Result of a verify or repair. */
export interface VerifyReport extends IndexCheck {
  kind: 'verify';
  /** The check after the repair; null when nothing was repaired. */
  after_repair: IndexCheck | null;
}

/**
 * How the store differed from what the last run had left there.
 *
 * - `collection_lost`: the collection was missing, or dropped and created again.
 * - `points_differ`: another number of points than the manifest says, or another number of its newest ones.
 * - `store_behind`: the newest points are missing, as after restoring an older snapshot.
 * - `database_behind`: it has points of a run that Postgres does not know, as after restoring an older backup.
 */
export const DRIFT_CAUSES = ['collection_lost', 'points_differ', 'store_behind', 'database_behind'] as const;
export type DriftCause = (typeof DRIFT_CAUSES)[number];

/** What a sync found changed in the vector store since the last run, and repaired. */
export interface DriftReport {
  kind: 'drift';
  cause: DriftCause;
  /** The points that the manifest said were there. */
  points_expected: number;
  points_found: number;
  /** Stored again. */
  points_missing: number;
  /** Removed: their path or version is not in the manifest. */
  points_stale: number;
  /** Removed: extra points of a chunk that has its own. */
  points_doubled: number;
  /** Paths of all these points. */
  points_in: PathSample;
  /** Repositories that Postgres does not know, whose points were removed from the collection. */
  stray_repositories: number;
  stray_points: number;
  /** Removed collections of this installation that Postgres does not know, as after an older backup was restored. */
  stray_collections: number;
}

export type RunReport = DryRunReport | VerifyReport | DriftReport;
