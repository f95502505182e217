import { type WaitObserver } from './host-limiter.js';

/** A project as the code host shows it. */
export interface SourceProject {
  projectId: number;
  projectPath: string;
  /** Null when the repository is empty. */
  defaultBranch: string | null;
  isEmpty: boolean;
  isArchived: boolean;
  /** Will be deleted after a delay. */
  isMarkedForDeletion: boolean;
}

/** Which projects to list. */
export interface ProjectListing {
  /** Full path of a group; null: the whole host. */
  groupPath: string | null;
  includeSubgroups: boolean;
  includeArchived: boolean;
  /** Only for the whole host: projects that the token's user is a member of, not all that it can see. */
  membersOnly: boolean;
}

/** A project as a listing shows it. */
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
   * `/prefix/group/project`. Another path means that the project may have moved; null when the host does not send it.
   */
  webPath: string | null;
}

/** One path whose content changed or was removed. A rename is one of each. */
export type PathChange =
  | { kind: 'gone'; path: string }
  | {
      kind: 'present';
      path: string;
      mode: string;
      /** A submodule's commit, if the host sends it. */ commit: string | null;
    };

export interface Comparison {
  changes: PathChange[];
  /** False when the host omits changes. */
  isComplete: boolean;
}

/** One file of an archive. Its bytes must be read before the next entry; otherwise they are dropped. */
export interface ArchiveEntry {
  sizeBytes: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** For the batch requests, which use paths instead of numeric ids. */
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
   * @throws not_found `branch_not_found`; `repository_empty` when the project has no commit at all.
   */
  headOf(projectId: number, branch: string, signal: AbortSignal): Promise<BranchHead>;
  /**
   * The whole tree at a commit, page by page. Throws when it is incomplete.
   */
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
   * All projects of a listing, without those marked for deletion if the host shows it. Resolves only with a complete
   * listing from which nothing was removed meanwhile, according to the host's counts.
   * @throws not_found `group_not_found`, temporary `listing_unsteady`.
   */
  listProjects(listing: ProjectListing, signal: AbortSignal): Promise<ListedProject[]>;
  /** Names of all branches; none of an empty project. @throws not_found `project_not_found`; as `listProjects`. */
  listBranches(projectId: number, signal: AbortSignal): Promise<string[]>;
  usage(): SourceUsage;

  // The methods below save requests if the host supports them. A host may refuse them, and answers may be incomplete:
  // callers verify the answers and fall back to the methods above.

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

/** Opens a source with a host and a credential. Each run opens its own, so that usage is counted per run. */
export abstract class SourceFactory {
  abstract open(
    target: { baseUrl: string; credentialId: string | null },
    signal: AbortSignal,
    options?: SourceUse,
  ): Promise<Source>;
}

/** For whom a source makes requests. */
export interface SourceUse {
  /** Learns when the source's requests wait for the host. */
  observer?: WaitObserver;
  /** A person waits for the answer: requests go to the front of the queue and fail instead of a long wait. */
  isUrgent?: boolean;
}
