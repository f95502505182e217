/** A project as the code host shows it. */
export interface SourceProject {
  projectId: number;
  projectPath: string;
  /** Null when the repository is empty. */
  defaultBranch: string | null;
  isEmpty: boolean;
  isArchived: boolean;
}

/** One tracked path: a file, symlink or submodule; never a folder. */
export interface TreeEntry {
  path: string;
  /** Git mode: 100644, 100755, 120000 (symlink), 160000 (submodule). */
  mode: string;
  /** Blob SHA; for a submodule the commit of the other repository. */
  blobSha: string;
}

export type BlobContent =
  { kind: 'bytes'; bytes: Uint8Array } | { kind: 'too_large'; sizeBytes: number | null };

/** What a source did over its life: feeds `source_requests` and `bytes_fetched`. */
export interface SourceUsage {
  requests: number;
  bytes: number;
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
   * The branch's commit SHA, in one request.
   * @throws not_found `branch_not_found`; `repository_empty` when the project has no commit at all.
   */
  headOf(projectId: number, branch: string, signal: AbortSignal): Promise<string>;
  /**
   * The whole tree at a commit, page by page. Ending normally means complete; anything else throws.
   */
  listTree(projectId: number, commit: string, signal: AbortSignal): AsyncIterable<TreeEntry[]>;
  /** Content by blob SHA: immune to branch moves. Reading stops once `maxBytes` is passed. Bytes are not verified. */
  readBlob(projectId: number, blobSha: string, maxBytes: number, signal: AbortSignal): Promise<BlobContent>;
  usage(): SourceUsage;
}

/** Builds the source of a repository: its host and its credential. One per run, so that usage is counted per run. */
export interface SourceFactory {
  open(target: { baseUrl: string; credentialId: string | null }): Promise<Source>;
}
