export const SKIP_REASONS = [
  'excluded',
  'not_included',
  'ignored',
  'generated',
  'vendored',
  'marked_binary',
  'secret',
  'submodule',
  'symlink',
  'empty',
  'binary',
  'too_large',
  'lfs_pointer',
  'minified',
  'unsupported_encoding',
] as const;
/** Why a file is in the repository but, by a rule, not in the index. */
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * A `repository_files` row: what the index holds of one path, or why it holds nothing.
 *
 * - indexed: `indexedAt` set; the store holds `chunkCount` points made from `blobSha`.
 * - skipped: `skipReason` set; the store holds nothing.
 * - failed: `lastError` set; the store holds what `indexedAt` says (the former version, or nothing). Retried next run.
 */
export interface ManifestEntry {
  path: string;
  /** Git file mode, e.g. `100644`. */
  mode: string;
  blobSha: string;
  /** {@link fileFingerprint} of the settings that the row was made under. */
  fingerprint: string;
  sizeBytes: number | null;
  language: string | null;
  chunkCount: number;
  indexedAt: Date | null;
  skipReason: SkipReason | null;
  /** The numbers behind the reason, e.g. `1843200 bytes, limit 1048576`. */
  skipDetail: string | null;
  lastError: string | null;
  /** Secrets that were found in the content; under the policy `redact` they are left out of what is indexed. */
  secretsFound: number;
  /** Where, and by which rules; never what. E.g. `gitlab-token line 3, private-key lines 10-36`. */
  secretDetail: string | null;
}

export type FileStatus = 'indexed' | 'skipped' | 'failed';

export function fileStatusOf(entry: Pick<ManifestEntry, 'skipReason' | 'lastError'>): FileStatus {
  if (entry.lastError !== null) return 'failed';
  return entry.skipReason === null ? 'indexed' : 'skipped';
}

/** A `repository_folders` row. Root is the empty path. */
export interface Folder {
  path: string;
  parentPath: string | null;
  /** Files at any depth below. */
  fileCount: number;
  indexedFileCount: number;
  sizeBytes: number;
}
