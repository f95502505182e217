import { type WaitObserver } from './host-limiter.js';
import { type Repository } from './repository.js';

export interface SourceProject {
  /** Null: the host has no number for it. */
  projectId: number | null;
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

/** The trees of one commit, by id. Their ids are verified. */
export interface TreeReader {
  rootId: string;
  /**
   * The entries of trees, with names instead of paths; a subfolder has mode `040000` and the SHA of its tree. While some of
   * the trees are at hand, those that need another transfer are left out: request them again. Null: trees can no longer
   * be read.
   */
  read(treeIds: readonly string[], signal: AbortSignal): Promise<Map<string, TreeEntry[]> | null>;
}

/** How a source reads trees and contents. */
export interface Transport {
  name: 'git' | 'rest';
  /** Why git is not used, e.g. the code of its failure; null: it is used, or was not tried. */
  reason: string | null;
}

/** Requests and bytes since a source was opened. */
export interface SourceUsage {
  requests: number;
  bytes: number;
  /** Requests that repeated a failed one; included in `requests`. */
  retries: number;
}

/**
 * Reads one code host with one credential. A source of one repository ignores the project's number. Every method throws
 * {@link RepotideError}, stops soon after the signal fires, has a time limit, and is safe to repeat.
 */
export interface Source {
  /**
   * @param project numeric id or full path; a source of one repository finds that one.
   * @throws not_found `project_not_found`, unauthorized `source_token_rejected`, forbidden `source_token_scope`.
   */
  findProject(project: number | string | null, signal: AbortSignal): Promise<SourceProject>;
  /**
   * The branch's commit, in one request.
   * @throws not_found `branch_not_found`; `repository_empty` when the project has no commit.
   */
  headOf(projectId: number | null, branch: string, signal: AbortSignal): Promise<BranchHead>;
  /**
   * The trees of a commit. Null: the source can only list them.
   * @param former a commit whose trees the caller knows, so that they need not be transferred.
   */
  openTrees(
    projectId: number | null,
    commit: string,
    former: string | null,
    signal: AbortSignal,
  ): Promise<TreeReader | null>;
  /** The whole tree at a commit, in pages. Throws when it is incomplete. */
  listTree(projectId: number | null, commit: string, signal: AbortSignal): AsyncIterable<TreeEntry[]>;
  /**
   * The entries of one folder, with full paths; a subfolder has mode `040000` and the SHA of its tree.
   * @param folder empty: the root.
   * @throws not_found `folder_not_found`: a name that is not UTF-8 may be listed but not found.
   */
  listFolder(
    projectId: number | null,
    commit: string,
    folder: string,
    signal: AbortSignal,
  ): Promise<TreeEntry[]>;
  /** Content by blob SHA, independent of the branch. Stops reading above `maxBytes`. Bytes are not verified. */
  readBlob(
    projectId: number | null,
    blobSha: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<BlobContent>;
  /**
   * All projects of a listing, except those that the host shows as marked for deletion. Resolves only if the listing is
   * complete: according to the host's counts, no project was removed during it.
   * @throws not_found `group_not_found`, temporary `listing_unsteady`.
   */
  listProjects(listing: ProjectListing, signal: AbortSignal): Promise<ListedProject[]>;
  /** Names of all branches; an empty project has none. @throws not_found `project_not_found`; else as `listProjects`. */
  listBranches(projectId: number | null, signal: AbortSignal): Promise<string[]>;
  usage(): SourceUsage;
  /** How trees and contents are read now; a failure of git changes it. Null: the source has one way only. */
  transport(): Transport | null;
  /** Removes what the source stored on disk. Call it when the run ends; never throws, repeating is harmless. */
  close(): Promise<void>;

  // The methods below save requests, but a host may refuse them or answer incompletely. Callers verify the answers and
  // fall back to the methods above.

  /** Differences of two trees (not since their merge base), without retries. Null when a commit is unknown. */
  compare(
    projectId: number | null,
    from: string,
    to: string,
    signal: AbortSignal,
  ): Promise<Comparison | null>;
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
   * Blobs of a commit by SHA, all in one request. Blobs that the host does not send this way are absent, which may be
   * all; bytes are not verified.
   */
  readObjects(
    projectId: number | null,
    commit: string,
    blobShas: readonly string[],
    maxBytes: number,
    signal: AbortSignal,
  ): AsyncIterable<{ blobSha: string; content: BlobContent }>;
  /**
   * All files of a commit as a stream, in one request without retries. Bytes are not verified; the repository's
   * attributes may exclude or rewrite files.
   * @throws temporary `archive_truncated` when the archive is incomplete.
   */
  readArchive(projectId: number | null, commit: string, signal: AbortSignal): AsyncIterable<ArchiveEntry>;
}

/** Paths of one batch request: the limit of GitLab's query complexity. */
export const BATCH_PATHS = 100;

/** What a source reads: a GitLab, or with the provider `git` the one repository whose URL is the path. */
export type SourceTarget = Pick<Repository, 'baseUrl' | 'credentialId'> &
  Partial<Pick<Repository, 'provider' | 'projectPath'>>;

/** Each run opens its own source, so that usage is counted per run. */
export abstract class SourceFactory {
  abstract open(target: SourceTarget, signal: AbortSignal, options?: SourceUse): Promise<Source>;
}

/**
 * Git's smart HTTP protocol, version 2, of one host and credential: one request each. Limits, retries, time limits and
 * errors are those of the host's API.
 */
export interface GitEndpoint {
  /** Identifies host and credential, to remember what they allow; no secret. */
  readonly identity: string;
  /** The answer to `info/refs`. @param projectPath of the project's page, with the host's prefix. */
  advertise(projectPath: string, signal: AbortSignal): AsyncIterable<Uint8Array>;
  /** Posts one command and streams the answer, at the caller's pace. Repeated only before the answer starts. */
  uploadPack(projectPath: string, command: Uint8Array, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** A source whose host also serves git. */
export interface SourceWithGit extends Source {
  readonly git: GitEndpoint;
}

/** The git of one repository, of a host without a known API. */
export interface GitRepositoryHost {
  readonly git: GitEndpoint;
  usage(): SourceUsage;
}

/** What a run will read, so that a source can choose how to transfer it. */
export interface ReadingPlan {
  projectPath: string;
  /** Most files will be read, so that one transfer of everything is cheaper than a list first. */
  isEverything: boolean;
  /** Larger files will not be read. */
  maxFileBytes: number;
}

/** How the requests of a source are queued and observed. */
export interface SourceUse {
  /** Absent: no contents will be read. */
  reading?: ReadingPlan;
  /** Is notified when the source's requests wait for the host. */
  observer?: WaitObserver;
  /** A person waits for the answer: requests go to the head of the queue and fail instead of waiting long. */
  isUrgent?: boolean;
}
