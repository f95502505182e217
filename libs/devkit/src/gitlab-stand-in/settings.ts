export interface RateLimit {
  requests: number;
  periodSeconds: number;
}

/** Behaviour that differs between GitLab versions and installations; change it at any time. */
export interface GitLabSettings {
  /** False: an older server, which ignores `pagination=keyset` and pages by number. */
  keysetSupported: boolean;
  /** Listings of more projects or branches than this say no totals. */
  countedRecords: number;
  /** Entries of a page of a tree at most, whatever was asked for. GitLab's is 100; fewer give a small tree many pages. */
  maxTreePageSize: number;
  /** Beyond these a comparison is truncated, and says so only by `compare_timeout`. */
  diffLimits: { maxFiles: number; maxLines: number; maxPatchBytes: number };
  /** Null: not limited. `api` and `files` show in the RateLimit headers, the others do not. */
  rateLimits: {
    api: RateLimit | null;
    /** For repository/files/*, in place of `api`. */
    files: RateLimit | null;
    project: RateLimit | null;
    archive: RateLimit | null;
    /** For blobs above 10 MB through the JSON endpoints. */
    largeBlobs: RateLimit | null;
  };
  /** Life of the access tokens that are made from then on. */
  oauth: { accessTokenSeconds: number };
  graphql: { maxComplexity: number; maxComplexityAnonymous: number; defaultPageSize: number };
}

/**
 * A self-managed GitLab as installed: the limits that are always on, and no general throttle.
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
    oauth: { accessTokenSeconds: 7200 },
    graphql: { maxComplexity: 250, maxComplexityAnonymous: 200, defaultPageSize: 100 },
  };
}
