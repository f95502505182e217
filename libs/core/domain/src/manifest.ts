import { type RunIdentity } from './execution.js';
import { type Page, type PageRequest, type SortedPageRequest } from './page.js';
import { type IndexState } from './repository.js';
import { type RunCounters } from './run-counters.js';

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

export const FILE_SORTS = ['path', 'size_bytes', 'chunk_count', 'indexed_at'] as const;
export type FileSort = (typeof FILE_SORTS)[number];

/**
 * The index state and manifest of the repositories in one generation. All writes of a run are fenced: a stale attempt
 * changes nothing.
 */
export abstract class Manifest {
  /** That of a repository which no run has worked on yet is blank. */
  abstract stateOf(repositoryId: string): Promise<IndexState>;
  /** Sets `index_dirty`. @throws fence_lost */
  abstract markDirty(run: RunIdentity): Promise<void>;
  /** All rows in pages, ordered by path. */
  abstract listEntries(repositoryId: string): AsyncIterable<ManifestEntry[]>;
  /** Rows that hold points of these blobs. */
  abstract findIndexedByBlob(repositoryId: string, blobShas: readonly string[]): Promise<ManifestEntry[]>;
  /** Rows of files, in any folder, that have one of these names. */
  abstract findNamed(repositoryId: string, fileNames: readonly string[]): Promise<ManifestEntry[]>;
  /** Adds or replaces rows and stores the counters, in one fenced transaction. @throws fence_lost */
  abstract commitBatch(
    run: RunIdentity,
    batch: { upserts: readonly ManifestEntry[]; deletes: readonly string[] },
    counters: RunCounters,
  ): Promise<void>;
  /** Rebuilds `repository_folders` from the manifest. @throws fence_lost */
  abstract rebuildFolders(run: RunIdentity): Promise<void>;
  /**
   * The pointer: `last_synced_commit`, `index_fingerprint`, `last_sync_at`; clears `index_dirty` unless suspicion was
   * raised since `indexSuspicions` was read. Stores the project's path when it is given: the run found it moved. Last
   * step. @throws fence_lost
   */
  abstract advancePointer(
    run: RunIdentity,
    pointer: { commit: string; fingerprint: string; indexSuspicions: number; projectPath?: string },
  ): Promise<void>;
  /** True when a row has `last_error`. */
  abstract hasFailures(repositoryId: string): Promise<boolean>;
  abstract listFiles(
    repositoryId: string,
    filter: { status?: FileStatus; pathPrefix?: string; hasSecrets?: boolean },
    page: SortedPageRequest<FileSort>,
  ): Promise<Page<ManifestEntry>>;
}

/** The manifests: those of the active generations, and by {@link ManifestStore.of} those of any other. */
export abstract class ManifestStore extends Manifest {
  abstract of(generationId: string): Manifest;
  /**
   * Told by a run that lost its lease or fence: writes of its may have reached the store after the current holder
   * looked. Not fenced on purpose; sets `index_dirty` and raises `index_suspicions` in all generations, so that a
   * pointer advanced by a run that began before does not clear the flag.
   */
  abstract flagSuspect(repositoryId: string): Promise<void>;
  /** Children of a folder (root when empty), folders first. Null when the folder does not exist. */
  abstract listFolder(repositoryId: string, path: string, page: PageRequest): Promise<Page<Folder> | null>;
}
