export interface RateLimit {
  requests: number;
  periodSeconds: number;
}

/** Behaviour that differs between GitLab versions and installations; tests may change it at any time. */
export interface GitLabSettings {
  /** False: an older server, which ignores `pagination=keyset` and pages by number. */
  keysetSupported: boolean;
  /** Longer listings of projects or branches have no total headers. */
  countedRecords: number;
  /** Largest page of a tree. GitLab's is 100; a smaller one gives a small tree many pages. */
  maxTreePageSize: number;
  /** Above these limits a comparison is truncated; only `compare_timeout` shows it. */
  diffLimits: { maxFiles: number; maxLines: number; maxPatchBytes: number };
  /** Null: no limit. Only `api` and `files` appear in the RateLimit headers. */
  rateLimits: {
    api: RateLimit | null;
    /** For repository/files/*, instead of `api`. */
    files: RateLimit | null;
    project: RateLimit | null;
    archive: RateLimit | null;
    /** For blobs above 10 MB through the JSON endpoints. */
    largeBlobs: RateLimit | null;
  };
  /**
   * Git over HTTP, which an administrator can disable. Without filters, as a plain git server has by default, every pack
   * holds whole trees.
   */
  git: { isEnabled: boolean; hasFilters: boolean };
  /** Lifetime of access tokens issued from now on. */
  oauth: { accessTokenSeconds: number };
  graphql: {
    maxComplexity: number;
    maxComplexityAnonymous: number;
    defaultPageSize: number;
    /** Of all blobs of one query together; a query for one blob may exceed it. */
    maxBlobBytes: number;
  };
}

/**
 * The defaults of a self-managed GitLab: only the limits that are always on, no general throttle.
 * Sources: GitLab's documentation of diff limits, rate limits and GraphQL limits.
 */
export function defaultSettings(): GitLabSettings {
  return {
    keysetSupported: true,
    countedRecords: 10_000,
    maxTreePageSize: 100,
    diffLimits: { maxFiles: 1000, maxLines: 50_000, maxPatchBytes: 200 * 1024 },
    rateLimits: {
      api: null,
      files: null,
      project: null,
      archive: { requests: 5, periodSeconds: 60 },
      largeBlobs: { requests: 5, periodSeconds: 60 },
    },
    git: { isEnabled: true, hasFilters: true },
    oauth: { accessTokenSeconds: 7200 },
    graphql: {
      maxComplexity: 250,
      maxComplexityAnonymous: 200,
      defaultPageSize: 100,
      maxBlobBytes: 20 * 1024 * 1024,
    },
  };
}
