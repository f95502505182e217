import { type RunIdentity } from './execution.js';
import { type Page, type PageRequest, type SortedPageRequest } from './page.js';
import { type IndexDrift, type IndexState, type RuleWarning } from './repository.js';
import { type RunCounters } from './run-counters.js';
import { type RunReport } from './run-report.js';
import { type PointTally } from './vector-store.js';

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
  'too_costly',
  'unsupported_encoding',
] as const;
/** Why a file is not indexed. */
export type SkipReason = (typeof SKIP_REASONS)[number];

/**
 * A `repository_files` row: the indexed version of one path, or the reason why it is not indexed.
 *
 * - indexed: `indexedAt` is set; the store has `chunkCount` points made from `blobSha`.
 * - skipped: `skipReason` is set; the store has no points.
 * - failed: `lastError` is set; the store has the previous version if `indexedAt` is set. The next run retries the file.
 */
export interface ManifestEntry {
  path: string;
  /** Git file mode, e.g. `100644`. */
  mode: string;
  blobSha: string;
  /** Fingerprint of the settings at the time of the row's last update. */
  fingerprint: string;
  sizeBytes: number | null;
  language: string | null;
  chunkCount: number;
  indexedAt: Date | null;
  skipReason: SkipReason | null;
  /** The numbers behind the reason, e.g. `1843200 bytes, limit 1048576`. */
  skipDetail: string | null;
  lastError: string | null;
  /** Number of secrets in the content; the policy `redact` removes them before indexing. */
  secretsFound: number;
  /** Rules and lines, never the secret itself, e.g. `gitlab-token line 3, private-key lines 10-36`. */
  secretDetail: string | null;
}

/** A row with the execution that wrote it last. */
export interface StoredEntry extends ManifestEntry {
  executionId: string | null;
}

export type FileStatus = 'indexed' | 'skipped' | 'failed';

export function fileStatusOf(entry: Pick<ManifestEntry, 'skipReason' | 'lastError'>): FileStatus {
  if (entry.lastError !== null) return 'failed';
  return entry.skipReason === null ? 'indexed' : 'skipped';
}

/** A `repository_folders` row. The root has an empty path. */
export interface Folder {
  path: string;
  parentPath: string | null;
  /** Includes files in subfolders. */
  fileCount: number;
  indexedFileCount: number;
  sizeBytes: number;
}

/** A folder with files, and git's id of the tree that its rows are equal to; null: a file below failed, or nobody knows. */
export interface KnownFolder {
  path: string;
  treeId: string | null;
}

/** Sums over all rows. */
export interface ManifestTotals {
  files: number;
  /** Files with `last_error`. */
  failedFiles: number;
  /** Files with a known size, and the sum of their sizes. */
  sizedFiles: number;
  sizeBytes: number;
  /** The chunks of all indexed files: how many points the store must have. */
  chunks: number;
  /** The {@link KnownFolder.treeId} of the whole tree. */
  rootTreeId: string | null;
}

/** A part of a manifest. */
export interface ManifestScope {
  /** The files in these folders, without those in subfolders. */
  folders: ReadonlySet<string>;
  /** Everything below these folders. */
  below: ReadonlySet<string>;
}

export const FILE_SORTS = ['path', 'size_bytes', 'chunk_count', 'indexed_at'] as const;
export type FileSort = (typeof FILE_SORTS)[number];

/** The state of an index after a run. */
export interface Pointer {
  commit: string;
  fingerprint: string;
  indexSuspicions: number;
  projectPath?: string;
  tally?: PointTally;
}

/**
 * The index state and manifest of the repositories in one generation. All writes of a run are fenced: those of a stale
 * attempt fail.
 */
export abstract class Manifest {
  /** Empty before a repository's first run. */
  abstract stateOf(repositoryId: string): Promise<IndexState>;
  /** Sets `index_dirty`, and the warnings if they are given. @throws fence_lost */
  abstract markDirty(run: RunIdentity, warnings?: readonly RuleWarning[]): Promise<void>;
  /** All rows in pages, ordered by path. */
  abstract listEntries(repositoryId: string): AsyncIterable<StoredEntry[]>;
  /** The rows of a part, in any order. */
  abstract listEntriesIn(repositoryId: string, scope: ManifestScope): AsyncIterable<StoredEntry[]>;
  /** The subfolders of these folders. */
  abstract findFolders(repositoryId: string, parents: readonly string[]): Promise<KnownFolder[]>;
  /** Indexed rows with one of these blobs. */
  abstract findIndexedByBlob(repositoryId: string, blobShas: readonly string[]): Promise<ManifestEntry[]>;
  /** Rows of files with one of these names, in any folder. Each name begins with a dot. */
  abstract findNamed(repositoryId: string, fileNames: readonly string[]): Promise<ManifestEntry[]>;
  /** Adds or replaces rows and stores the counters, in one fenced transaction. @throws fence_lost */
  abstract commitBatch(
    run: RunIdentity,
    batch: { upserts: readonly ManifestEntry[]; deletes: readonly string[] },
    counters: RunCounters,
  ): Promise<void>;
  /** Stores in the execution row what a run found before it repairs it: a later attempt can no longer find it. @throws fence_lost */
  abstract recordFinding(run: RunIdentity, report: RunReport): Promise<void>;
  /**
   * Notes the trees that these folders are equal to, except where a file failed. A later change of a row below makes
   * the id of a folder unknown again, in the transaction of the change. @throws fence_lost
   */
  abstract recordFolderIds(run: RunIdentity, ids: ReadonlyMap<string, string>): Promise<void>;
  /**
   * Sets the pointer: `last_synced_commit`, `index_fingerprint`, `last_sync_at`. Clears `index_dirty` unless
   * `index_suspicions` grew since the run read it. Also stores a changed project path, and the newest fence of the
   * points as the mark; without a tally the mark stays. The last step of a run.
   * @throws fence_lost
   */
  abstract advancePointer(run: RunIdentity, pointer: Pointer): Promise<void>;
  /** Notes the time and the result of a comparison of the whole index; null: no drift. @throws fence_lost */
  abstract recordVerification(run: RunIdentity, drift: IndexDrift | null): Promise<void>;
  abstract totalsOf(repositoryId: string): Promise<ManifestTotals>;
  /**
   * Makes every fence that is drawn from now on higher than `fence`, which a point in the store has: the database was
   * restored from a backup, and with it the sequence.
   */
  abstract raiseFences(fence: number): Promise<void>;
  abstract listFiles(
    repositoryId: string,
    filter: { status?: FileStatus; pathPrefix?: string; pathPart?: string; hasSecrets?: boolean },
    page: SortedPageRequest<FileSort>,
  ): Promise<Page<ManifestEntry>>;
}

/** The manifests of the active generations. {@link ManifestStore.of} returns the manifest of any generation. */
export abstract class ManifestStore extends Manifest {
  abstract of(generationId: string): Manifest;
  /**
   * For a run that lost its lease or fence: its writes may reach the store after the current holder read it. Not fenced.
   * Sets `index_dirty` and increases `index_suspicions` in all generations, so that a run that started earlier does not
   * clear the flag.
   */
  abstract flagSuspect(repositoryId: string): Promise<void>;
  /** Children of a folder (root when empty), folders first. Null when the folder does not exist. */
  abstract listFolder(repositoryId: string, path: string, page: PageRequest): Promise<Page<Folder> | null>;
}
