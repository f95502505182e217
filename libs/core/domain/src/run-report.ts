/** How many, and the first of them. */
export interface PathSample {
  files: number;
  /** At most {@link SAMPLE_PATHS}, in the order of the run. */
  first_paths: string[];
}

export const SAMPLE_PATHS = 20;

/** Whether a number was counted, or worked out from sizes that nobody knows before the content is read. */
export type Certainty = 'exact' | 'estimated';

/**
 * What a sync would do now. Stored and answered as it stands, hence the names in snake_case. What content decides (a
 * binary file, an empty one, a secret, text that is in the embedding cache) is not known: tokens and cost are what the
 * sync would need if it knew none of the texts.
 */
export interface DryRunReport {
  kind: 'dry_run';
  from_commit: string | null;
  to_commit: string;
  /** Nothing to do: a sync would end after one request. */
  is_in_sync: boolean;
  fetched: PathSample;
  copied: PathSample;
  deleted: PathSample;
  /** By a rule that needs no content. */
  skipped: PathSample;
  /** How most content would be read: `archive`, `graphql` or `blobs`; null when none is needed. */
  fetch_way: 'archive' | 'graphql' | 'blobs' | null;
  /** Spent on this plan; a sync spends them too. */
  plan_requests: number;
  /** To read the content. */
  fetch_requests: number;
  bytes_fetched: number;
  chunks_embedded: number;
  chunks_copied: number;
  chunks_deleted: number;
  embedding_tokens: number;
  /** In the currency of EMBEDDING_PRICE_PER_MILLION_TOKENS; null without it. */
  embedding_cost: number | null;
  /** By the names above. */
  certainty: Record<
    'fetch_requests' | 'bytes_fetched' | 'chunks_embedded' | 'chunks_deleted' | 'embedding_tokens',
    Certainty
  >;
  /** How the estimates were made, in words. */
  estimated_from: string;
}

/** How the index differs from the tree at the commit that it should equal. */
export interface IndexDifferences {
  /** Of the manifest against the tree. */
  files_missing: PathSample;
  files_stale: PathSample;
  files_extra: PathSample;
  /** Failed in the last sync, so that the index holds their former version or nothing. */
  files_failed: PathSample;
  /** Of the points against the manifest. */
  points_missing: number;
  /** Of a path or a version that is not in the manifest. */
  points_stale: number;
  /** A further point for a chunk that has one. */
  points_doubled: number;
  /** Their text is not the one that they were stored with. */
  points_changed: number;
  /** Of all the points above. */
  points_in: PathSample;
}

/** The index against one commit. */
export interface IndexCheck extends IndexDifferences {
  /** The commit that the index should equal; null when no sync has come to its end yet. */
  commit: string | null;
  is_equal: boolean;
  files_checked: number;
  points_checked: number;
}

/** What verify or repair found. */
export interface VerifyReport extends IndexCheck {
  kind: 'verify';
  /** What a second look found after the repair; null when nothing was repaired. */
  after_repair: IndexCheck | null;
}

export type RunReport = DryRunReport | VerifyReport;
