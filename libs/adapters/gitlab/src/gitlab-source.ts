import {
  type ArchiveEntry,
  type BlobContent,
  type BranchHead,
  type Comparison,
  type ListedProject,
  type ProjectListing,
  type ProjectName,
  RepotideError,
  type Source,
  type SourceProject,
  type SourceUsage,
  type TreeEntry,
} from '@core/domain';
import { showBranch, showProject } from './api.js';
import { archiveEntries } from './archive.js';
import { fetchComparison } from './comparison.js';
import { type GitLabHttp } from './gitlab-http.js';
import { findBlobs, readTexts } from './graphql-blobs.js';
import { isMarked, listBranches, listProjects } from './project-listing.js';
import { branchShape, projectShape, shaped } from './shapes.js';
import { folderEntries, treePages } from './tree-pages.js';

/** Where GitLab's pages of a project end and those of its parts begin. */
const PAGES_OF_PROJECT = '/-/';

/** {@link Source} over GitLab's REST API, version 4. */
export class GitLabSource implements Source {
  constructor(private readonly http: GitLabHttp) {}

  async findProject(project: number | string, signal: AbortSignal): Promise<SourceProject> {
    const json = await this.#orWhenMissing(showProject(this.http, project, signal), async () =>
      this.#projectNotFound(project),
    );
    const found = shaped(projectShape, 'a project', json, this.http.counterpart);
    return {
      projectId: found.id,
      projectPath: found.path_with_namespace,
      defaultBranch: found.default_branch ?? null,
      // Only GitLab's word counts: a default branch may be hidden for want of access.
      isEmpty: found.empty_repo ?? false,
      isArchived: found.archived ?? false,
      isMarkedForDeletion: isMarked(found),
    };
  }

  async listProjects(listing: ProjectListing, signal: AbortSignal): Promise<ListedProject[]> {
    return this.#orWhenMissing(listProjects(this.http, listing, signal), async () =>
      this.#groupNotFound(listing.groupPath),
    );
  }

  async listBranches(projectId: number, signal: AbortSignal): Promise<string[]> {
    return this.#orWhenMissing(listBranches(this.http, projectId, signal), async () =>
      this.#projectNotFound(projectId),
    );
  }

  async headOf(projectId: number, branch: string, signal: AbortSignal): Promise<BranchHead> {
    const json = await this.#orWhenMissing(showBranch(this.http, projectId, branch, signal), () =>
      this.#missingIn(projectId, signal, ({ projectPath, defaultBranch }) => {
        const others = defaultBranch === null ? '' : ` Its default branch is "${defaultBranch}".`;
        const message = `${projectPath} has no branch "${branch}".${others} Set the repository's branch.`;
        return new RepotideError('not_found', 'branch_not_found', message);
      }),
    );
    const branchFound = shaped(branchShape, 'a branch', json, this.http.counterpart);
    return { commit: branchFound.commit.id, webPath: projectPageOf(branchFound.web_url ?? '') };
  }

  async *listTree(projectId: number, commit: string, signal: AbortSignal): AsyncGenerator<TreeEntry[]> {
    try {
      yield* treePages(this.http, projectId, commit, signal);
    } catch (thrown) {
      throw isMissing(thrown) ? await this.#commitNotFound(projectId, commit, signal) : thrown;
    }
  }

  async listFolder(
    projectId: number,
    commit: string,
    folder: string,
    signal: AbortSignal,
  ): Promise<TreeEntry[]> {
    return this.#orWhenMissing(folderEntries(this.http, projectId, commit, folder, signal), () =>
      folder === '' ? this.#commitNotFound(projectId, commit, signal) : folderNotFound(commit, folder),
    );
  }

  async compare(
    projectId: number,
    from: string,
    to: string,
    signal: AbortSignal,
  ): Promise<Comparison | null> {
    try {
      return await fetchComparison(this.http, projectId, from, to, signal);
    } catch (thrown) {
      if (isMissing(thrown)) return null;
      throw thrown;
    }
  }

  findBlobs(
    project: ProjectName,
    commit: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>> {
    return findBlobs({ http: this.http, project, commit, signal }, paths);
  }

  readTexts(
    project: ProjectName,
    commit: string,
    paths: readonly string[],
    signal: AbortSignal,
  ): Promise<Map<string, Uint8Array>> {
    return readTexts({ http: this.http, project, commit, signal }, paths);
  }

  readArchive(projectId: number, commit: string, signal: AbortSignal): AsyncIterable<ArchiveEntry> {
    return archiveEntries(this.http, projectId, commit, signal);
  }

  async readBlob(
    projectId: number,
    blobSha: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<BlobContent> {
    const endpoint = `projects/${projectId}/repository/blobs/${encodeURIComponent(blobSha)}/raw`;
    return this.#orWhenMissing(this.http.getFile(endpoint, maxBytes, signal), () =>
      this.#missingIn(projectId, signal, ({ projectPath }) => {
        const message = `${projectPath} has no blob ${blobSha} any more, e.g. after a force push. Sync again.`;
        return new RepotideError('not_found', 'blob_not_found', message);
      }),
    );
  }

  usage(): SourceUsage {
    return this.http.usage();
  }

  async #orWhenMissing<T>(answer: Promise<T>, explain: () => Promise<RepotideError>): Promise<T> {
    try {
      return await answer;
    } catch (thrown) {
      throw isMissing(thrown) ? await explain() : thrown;
    }
  }

  /** GitLab answers 404 for a missing part, a missing project and an empty one alike: the project itself tells. */
  async #missingIn(
    projectId: number,
    signal: AbortSignal,
    part: (project: SourceProject) => RepotideError,
  ): Promise<RepotideError> {
    const project = await this.findProject(projectId, signal);
    if (!project.isEmpty) return part(project);
    const message = `${project.projectPath} has no commit yet. Push one, or remove the repository.`;
    return new RepotideError('not_found', 'repository_empty', message);
  }

  #commitNotFound(projectId: number, commit: string, signal: AbortSignal): Promise<RepotideError> {
    return this.#missingIn(projectId, signal, ({ projectPath }) => {
      const message = `${projectPath} has no commit ${commit} any more, e.g. after a force push. Sync again.`;
      return new RepotideError('not_found', 'commit_not_found', message);
    });
  }

  #groupNotFound(groupPath: string | null): RepotideError {
    const { baseUrl } = this.http.counterpart;
    const message =
      `GitLab at ${baseUrl} shows no group ${groupPath ?? ''}. It answers the same when the token's user may not see ` +
      'the group, and for the namespace of a person, which is no group. Give the full path and a token of a member.';
    return new RepotideError('not_found', 'group_not_found', message);
  }

  #projectNotFound(project: number | string): RepotideError {
    const { baseUrl, token } = this.http.counterpart;
    const access =
      token === null
        ? 'No token was sent: for a private project set GITLAB_TOKEN or the credential of the repository.'
        : "GitLab answers the same when the token's user is no member: it needs the Reporter role or higher.";
    const message = `GitLab at ${baseUrl} shows no project ${project}. ${access}`;
    return new RepotideError('not_found', 'project_not_found', message);
  }
}

/** `/group/project` of `https://host/group/project/-/tree/main`. */
function projectPageOf(branchPage: string): string | null {
  if (!URL.canParse(branchPage)) return null;
  const { pathname } = new URL(branchPage);
  const end = pathname.indexOf(PAGES_OF_PROJECT);
  return end < 0 ? null : pathname.slice(0, end);
}

async function folderNotFound(commit: string, folder: string): Promise<RepotideError> {
  const message = `The folder "${folder}" is not to be had by its name at commit ${commit}.`;
  return new RepotideError('not_found', 'folder_not_found', message);
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof RepotideError && thrown.code === 'source_not_found';
}
