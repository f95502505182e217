import { type WaitObserver } from './host-limiter.js';

export interface SourceProject {
  projectId: number;
  projectPath: string;
  /** Null when the repository is empty. */
  defaultBranch: string | null;
  isEmpty: boolean;
  isArchived: boolean;
  /** The host will delete it after a delay. */
  isMarkedForDeletion: boolean;
}

export interface ProjectListing {
  /** Full path of a group; null: the whole host. */
  groupPath: string | null;
  includeSubgroups: boolean;
  includeArchived: boolean;
  /** Only for the whole host: lists the projects that the token's user is a member of, not all visible ones. */
  membersOnly: boolean;
}

export interface ListedProject {
  projectId: number;
  projectPath: string;
  /** Null when the token may not read the code. An empty project may name a branch that does not exist. */
  defaultBranch: string | null;
}

/** One tracked path: a file, symlink or submodule; never a folder. */
export interface TreeEntry {
  path: string;
  /** Git mode: 100644, 100755, 120000 (symlink), 160000 (submodule). */
  mode: string;
  /** Blob SHA; for a submodule the commit of the other repository. */
  blobSha: string;
}

/** The current commit of a branch. */
export interface BranchHead {
  commit: string;
  /**
   * Path of the project's page on the host: the host's prefix and the project's full path, e.g.
   * `/prefix/group/project`. A changed path means that the project may have moved; null when the host does not send it.
   */
  webPath: string | null;
}

/** A path with changed or removed content. A rename is a removal and a change. */
export type PathChange =
  | { kind: 'removed'; path: string }
  | {
      kind: 'present';
      path: string;
      mode: string;
      /** A submodule's commit, if the host sends it. */ commit: string | null;
    };

export interface Comparison {
  changes: PathChange[];
  /** False when the host omitted changes. */
  isComplete: boolean;
}

/** One file of an archive. Its bytes are lost unless they are read before the next entry. */
export interface ArchiveEntry {
  sizeBytes: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** Batch requests identify projects by path instead of numeric id. */
export type ProjectName = Pick<SourceProject, 'projectId' | 'projectPath'>;

export type BlobContent =
  { kind: 'bytes'; bytes: Uint8Array } | { kind: 'too_large'; sizeBytes: number | null };

/** Requests and bytes since a source was opened. */
export interface SourceUsage {
  requests: number;
  bytes: number;
  /** Requests that repeated a failed one; included in `requests`. */
  retries: number;
}

/**
 * Reads one code host with one credential. Every method throws {@link RepotideError}, stops soon after the signal
 * fires, has a time limit, and is safe to repeat.
 */
export interface Source {
  /**
   * @param project numeric id or full path.
   * @throws not_found `project_not_found`, unauthorized `source_token_rejected`, forbidden `source_token_scope`.
   */
  findProject(project: number | string, signal: AbortSignal): Promise<SourceProject>;
  /**
   * The branch's commit, in one request.
   * @throws not_found `branch_not_found`; `repository_empty` when the project has no commit.
   */
  headOf(projectId: number, branch: string, signal: AbortSignal): Promise<BranchHead>;
  /** The whole tree at a commit, in pages. Throws when it is incomplete. */
  listTree(projectId: number, commit: string, signal: AbortSignal): AsyncIterable<TreeEntry[]>;
  /**
   * The entries of one folder, with full paths; a subfolder has mode `040000` and the SHA of its tree.
   * @param folder empty: the root.
   * @throws not_found `folder_not_found`: a name that is not UTF-8 may be listed but not found.
   */
  listFolder(projectId: number, commit: string, folder: string, signal: AbortSignal): Promise<TreeEntry[]>;
  /** Content by blob SHA, independent of the branch. Stops reading above `maxBytes`. Bytes are not verified. */
  readBlob(projectId: number, blobSha: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent>;
  /**
   * All projects of a listing, except those that the host shows as marked for deletion. Resolves only if the listing is
   * complete: according to the host's counts, no project was removed during it.
   * @throws not_found `group_not_found`, temporary `listing_unsteady`.
   */
  listProjects(listing: ProjectListing, signal: AbortSignal): Promise<ListedProject[]>;
  /** Names of all branches; an empty project has none. @throws not_found `project_not_found`; else as `listProjects`. */
  listBranches(projectId: number, signal: AbortSignal): Promise<string[]>;
  usage(): SourceUsage;

  // The methods below save requests, but a host may refuse them or answer incompletely. Callers verify the answers and
  // fall back to the methods above.

  /** Differences of two trees (not since their merge base), without retries. Null when a commit is unknown. */
  compare(projectId: number, from: string, to: string, signal: AbortSignal): Promise<Comparison | null>;
  /** Mode and SHA of the blobs at these paths, about {@link BATCH_PATHS} per request. Other paths are absent. */
  findBlobs(
    project: ProjectName,
    commit: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>>;
  /**
   * Whole text files by path, in one request unless the answer is too long. Files that the host does not return as text
   * are absent; bytes are not verified.
   */
  readTexts(
    project: ProjectName,
    commit: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, Uint8Array>>;
  /**
   * All files of a commit as a stream, in one request without retries. Bytes are not verified; the repository's
   * attributes may exclude or rewrite files.
   * @throws temporary `archive_truncated` when the archive is incomplete.
   */
  readArchive(projectId: number, commit: string, signal: AbortSignal): AsyncIterable<ArchiveEntry>;
}

/** Paths of one batch request: the limit of GitLab's query complexity. */
export const BATCH_PATHS = 100;

/** Each run opens its own source, so that usage is counted per run. */
export abstract class SourceFactory {
  abstract open(
    target: { baseUrl: string; credentialId: string | null },
    signal: AbortSignal,
    options?: SourceUse,
  ): Promise<Source>;
}

/** How the requests of a source are queued and observed. */
export interface SourceUse {
  /** Is notified when the source's requests wait for the host. */
  observer?: WaitObserver;
  /** A person waits for the answer: requests go to the head of the queue and fail instead of waiting long. */
  isUrgent?: boolean;
}
