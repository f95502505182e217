import { RepotideError, type SourceProject, type SourceWithGit } from '@core/domain';
import { z } from 'zod';
import { objectId, parseResponse } from '../http/response-schema.js';
import { type GitLabHttp, type ProjectAccess } from '../http/gitlab-http.js';
import { NO_TOKEN } from '../http/host-words.js';
import { archiveEntries } from './archive.js';
import { fetchComparison } from './comparison.js';
import { gitbeaker } from './gitbeaker.js';
import { GraphqlBlobs } from './graphql-blobs.js';
import { isMarkedForDeletion, listBranches, listProjects, projectSchema } from './project-listing.js';
import { listFolder, listTree } from './tree.js';

const branchSchema = z.object({ commit: z.object({ id: objectId }), web_url: z.string().nullish() });

/** Separates a project's path from the rest of a GitLab page's path. */
const PAGE_SEPARATOR = '/-/';

/** A source over GitLab's REST API version 4, and over GraphQL for batches. */
export function createGitLabSource(http: GitLabHttp): SourceWithGit {
  const blobs = new GraphqlBlobs(http);
  const access = (projectId: number, signal: AbortSignal): ProjectAccess => ({ http, projectId, signal });
  return {
    findProject: (project: number | string, signal) => findProject(http, project, signal),
    listProjects: (listing, signal) =>
      orWhenMissing(listProjects(http, listing, signal), () => groupNotFound(http, listing.groupPath)),
    listBranches: (projectId: number, signal) =>
      orWhenMissing(listBranches(access(projectId, signal)), () => projectNotFound(http, projectId)),

    async headOf(projectId: number, branch, signal) {
      const { branches } = gitbeaker(http, signal);
      const json = await orWhenMissing(branches.show(projectId, branch), () =>
        missingIn(access(projectId, signal), 'branch_not_found', ({ projectPath, defaultBranch }) => {
          const others = defaultBranch === null ? '' : ` Its default branch is "${defaultBranch}".`;
          return `${projectPath} has no branch "${branch}".${others} Set the repository's branch.`;
        }),
      );
      const { commit, web_url } = parseResponse(branchSchema, 'a branch', json, http.target);
      return { commit: commit.id, webPath: projectPathOf(web_url ?? '') };
    },

    openTrees: async () => null,

    async *listTree(projectId: number, commit, signal) {
      const project = access(projectId, signal);
      try {
        yield* listTree(project, commit);
      } catch (thrown) {
        throw isMissing(thrown) ? await commitNotFound(project, commit) : thrown;
      }
    },

    listFolder(projectId: number, commit, folder, signal) {
      const project = access(projectId, signal);
      return orWhenMissing(listFolder(project, commit, folder), () =>
        folder === '' ? commitNotFound(project, commit) : folderNotFound(commit, folder),
      );
    },

    async compare(projectId: number, from, to, signal) {
      try {
        return await fetchComparison(access(projectId, signal), from, to);
      } catch (thrown) {
        if (isMissing(thrown)) return null;
        throw thrown;
      }
    },

    findBlobs: (project, commit, paths, signal) => blobs.find({ project, commit, paths, signal }),
    readTexts: (project, commit, paths, signal) => blobs.readTexts({ project, commit, paths, signal }),
    readArchive: (projectId: number, commit, signal) => archiveEntries(access(projectId, signal), commit),

    readBlob(projectId: number, blobSha, maxBytes, signal) {
      const endpoint = `projects/${projectId}/repository/blobs/${encodeURIComponent(blobSha)}/raw`;
      return orWhenMissing(http.getFile(endpoint, maxBytes, signal), () =>
        missingIn(access(projectId, signal), 'blob_not_found', isMissingFrom(`blob ${blobSha}`)),
      );
    },

    async *readObjects() {
      // The API sends one blob per request.
    },
    usage: () => http.usage(),
    transport: () => null,
    close: async () => undefined,

    git: http.git('.git'),
  };
}

async function findProject(
  http: GitLabHttp,
  project: number | string,
  signal: AbortSignal,
): Promise<SourceProject> {
  const { projects } = gitbeaker(http, signal);
  const json = await orWhenMissing(projects.show(project), () => projectNotFound(http, project));
  const found = parseResponse(projectSchema, 'a project', json, http.target);
  return {
    projectId: found.id,
    projectPath: found.path_with_namespace,
    defaultBranch: found.default_branch ?? null,
    // A missing default branch proves nothing: GitLab hides it from users without access to the code.
    isEmpty: found.empty_repo ?? false,
    isArchived: found.archived ?? false,
    isMarkedForDeletion: isMarkedForDeletion(found),
  };
}

/** GitLab returns the same 404 for a missing part, a missing project and an empty one; the project itself shows which. */
async function missingIn(
  { http, projectId, signal }: ProjectAccess,
  code: string,
  messageFor: (project: SourceProject) => string,
): Promise<RepotideError> {
  const project = await findProject(http, projectId, signal);
  if (!project.isEmpty) return new RepotideError('not_found', code, messageFor(project));
  const message = `${project.projectPath} has no commit yet. Push one, or remove the repository.`;
  return new RepotideError('not_found', 'repository_empty', message);
}

function commitNotFound(project: ProjectAccess, commit: string): Promise<RepotideError> {
  return missingIn(project, 'commit_not_found', isMissingFrom(`commit ${commit}`));
}

function isMissingFrom(what: string): (project: SourceProject) => string {
  return ({ projectPath }) =>
    `${projectPath} no longer has the ${what}, e.g. after a force push. Sync again.`;
}

function folderNotFound(commit: string, folder: string): RepotideError {
  const message = `GitLab lists the folder "${folder}" at commit ${commit} but does not find it by that name.`;
  return new RepotideError('not_found', 'folder_not_found', message);
}

function groupNotFound({ target }: GitLabHttp, groupPath: string | null): RepotideError {
  const message =
    `GitLab at ${target.baseUrl} shows no group ${groupPath ?? ''}. The response is the same when the token's user ` +
    'may not see the group, and for the namespace of a user, which is not a group. Set the full path, and use the ' +
    'token of a member.';
  return new RepotideError('not_found', 'group_not_found', message);
}

function projectNotFound({ target }: GitLabHttp, project: number | string): RepotideError {
  const access =
    target.token === null
      ? `If it is private: ${NO_TOKEN}`
      : "The response is the same when the token's user is not a member. The user needs the Reporter role or higher.";
  const message = `GitLab at ${target.baseUrl} shows no project ${project}. ${access}`;
  return new RepotideError('not_found', 'project_not_found', message);
}

async function orWhenMissing<T>(
  response: Promise<T>,
  explain: () => RepotideError | Promise<RepotideError>,
): Promise<T> {
  try {
    return await response;
  } catch (thrown) {
    throw isMissing(thrown) ? await explain() : thrown;
  }
}

function isMissing(thrown: unknown): boolean {
  return thrown instanceof RepotideError && thrown.code === 'source_not_found';
}

/** `/group/project` of `https://host/group/project/-/tree/main`. */
function projectPathOf(branchPage: string): string | null {
  if (!URL.canParse(branchPage)) return null;
  const { pathname } = new URL(branchPage);
  const end = pathname.indexOf(PAGE_SEPARATOR);
  return end < 0 ? null : pathname.slice(0, end);
}
