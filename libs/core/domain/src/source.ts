import { type WaitObserver } from './host-limiter.js';

/** A project as the code host shows it. */
export interface SourceProject {
  projectId: number;
  projectPath: string;
  /** Null when the repository is empty. */
  defaultBranch: string | null;
  isEmpty: boolean;
  isArchived: boolean;
  /** Deleted with a delay: still there, and going. */
  isMarkedForDeletion: boolean;
}

/** Which projects to list. */
export interface ProjectListing {
  /** Full path of a group; null: the whole host. */
  groupPath: string | null;
  includeSubgroups: boolean;
  includeArchived: boolean;
  /** Of the whole host only: those that the token's user is a member of, not whatever it may see. */
  membersOnly: boolean;
}

/** A project as a listing shows it. */
export interface ListedProject {
  projectId: number;
  projectPath: string;
  /** Null when the token may not read the code. Of an empty project it may name a branch that is not there. */
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

/** The commit that a branch stands at. */
export interface BranchHead {
  commit: string;
  /**
   * Path of the project's page on the host: the project's full path behind the host's own prefix, e.g.
   * `/prefix/group/project`. A hint that the project has moved; null when the host does not say.
   */
  webPath: string | null;
}

/** One path that holds something else, or nothing, at a later commit. A rename is both. */
export type PathChange =
  | { kind: 'gone'; path: string }
  | {
      kind: 'present';
      path: string;
      mode: string;
      /** Of a submodule, when it is told. */ commit: string | null;
    };

export interface Comparison {
  changes: PathChange[];
  /** False when the host left changes out. */
  isComplete: boolean;
}

/** One file of an archive. Its bytes are read before the next entry is asked for, or dropped. */
export interface ArchiveEntry {
  sizeBytes: number;
  bytes: AsyncIterable<Uint8Array>;
}

/** What the batch calls need: they know no numeric ids. */
export type ProjectName = Pick<SourceProject, 'projectId' | 'projectPath'>;

export type BlobContent =
  { kind: 'bytes'; bytes: Uint8Array } | { kind: 'too_large'; sizeBytes: number | null };

/** What a source did over its life: feeds `source_requests` and `bytes_fetched`. */
export interface SourceUsage {
  requests: number;
  bytes: number;
  /** Requests that repeated a failed one, among the requests. */
  retries: number;
}

/**
 * Reads one code host with one credential. Every method throws {@link RepotideError}, stops within moments of the
 * signal, has a time limit of its own, and is safe to repeat.
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
   * The whole tree at a commit, page by page. Ending normally means complete; anything else throws.
   */
  listTree(projectId: number, commit: string, signal: AbortSignal): AsyncIterable<TreeEntry[]>;
  /**
   * The entries of one folder alone, by their full paths; a folder has mode `040000` and the SHA of its tree.
   * @param folder empty: the root.
   * @throws not_found `folder_not_found`: a name that is no UTF-8 may be shown and not be found again.
   */
  listFolder(projectId: number, commit: string, folder: string, signal: AbortSignal): Promise<TreeEntry[]>;
  /** Content by blob SHA: immune to branch moves. Reading stops once `maxBytes` is passed. Bytes are not verified. */
  readBlob(projectId: number, blobSha: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent>;
  /**
   * All projects of a listing, those marked for deletion left out where the host tells. Resolves only with a listing
   * that is known to be complete and that nothing was removed from meanwhile, as far as the host's counts show.
   * @throws not_found `group_not_found`: a group that is not shown is no empty one; temporary `listing_unsteady`.
   */
  listProjects(listing: ProjectListing, signal: AbortSignal): Promise<ListedProject[]>;
  /** Names of all branches; none of an empty project. @throws not_found `project_not_found`; as `listProjects`. */
  listBranches(projectId: number, signal: AbortSignal): Promise<string[]>;
  usage(): SourceUsage;

  // What follows spares requests where the host offers it. A host may refuse each, and answers may lack what was asked
  // for: callers verify, and fall back to the calls above.

  /** What differs between two trees (not since their merge base), asked once. Null when a commit is unknown. */
  compare(projectId: number, from: string, to: string, signal: AbortSignal): Promise<Comparison | null>;
  /** Mode and SHA of the blobs at these paths, about {@link BATCH_PATHS} paths a request. What is no blob is absent. */
  findBlobs(
    project: ProjectName,
    commit: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>>;
  /**
   * Text files whole, by path, in one request unless the answer grows too long. What the host does not give as text is
   * absent; bytes are not verified.
   */
  readTexts(
    project: ProjectName,
    commit: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, Uint8Array>>;
  /**
   * All files of a commit as a stream, in one request, asked once; bytes are not verified, files may be missing or
   * rewritten by the repository's own rules. Ending normally means that the archive had its end.
   * @throws temporary `archive_truncated` when it had not.
   */
  readArchive(projectId: number, commit: string, signal: AbortSignal): AsyncIterable<ArchiveEntry>;
}

/** Paths of one batch request: GitLab's complexity limit for queries leaves room for this many. */
export const BATCH_PATHS = 100;

/** Builds the source of a repository: its host and its credential. One per run, so that usage is counted per run. */
export abstract class SourceFactory {
  abstract open(
    target: { baseUrl: string; credentialId: string | null },
    signal: AbortSignal,
    options?: SourceUse,
  ): Promise<Source>;
}

/** On whose behalf a source asks. */
export interface SourceUse {
  /** Is shown when the source's requests wait for the host. */
  observer?: WaitObserver;
  /** A person waits for the answer: goes to the head of the line, and fails rather than sit out a long pause. */
  isUrgent?: boolean;
}
