import { type GitCommit } from '../git/commit.js';
import { isSafeRevision } from '../git/revision.js';
import { jsonAnswer } from '../http/answer.js';
import { type Caller } from './access.js';
import { notFound, problem } from './api-problem.js';
import { numberedPage } from './numbered-page.js';
import { accessTo, headOfProject, type ServedProject } from './projects.js';
import { API_SCOPES, booleanParameter, commitOfRef, type ProjectCall, type Route } from './route.js';

async function showProject(call: ProjectCall) {
  const { project, throttle, settings, caller } = call;
  throttle.checkApplication(`project:${caller.name}`, settings.rateLimits.project);
  return jsonAnswer(200, await projectEntity(call, project, false));
}

/** A project as all endpoints show it; `simple` leaves out expensive fields. */
export async function projectEntity(
  { baseUrl, caller }: { baseUrl: string; caller: Caller },
  project: ServedProject,
  simple: boolean,
): Promise<object> {
  const head = await headOfProject(project);
  const name = project.path.slice(project.path.lastIndexOf('/') + 1);
  const lastCommit = head === null ? null : await project.reader.commit(head.commit);
  // Hidden from callers without the right to read code. Listings name a branch even before it exists.
  const branch = simple ? (head?.name ?? 'main') : (head?.name ?? null);
  return {
    id: project.id,
    description: null,
    name,
    name_with_namespace: project.path.split('/').join(' / '),
    path: name,
    path_with_namespace: project.path,
    created_at: project.createdAt.toISOString(),
    ...(accessTo(project, caller) === 'code' ? { default_branch: branch } : {}),
    web_url: `${baseUrl}/${project.path}`,
    last_activity_at: lastCommit?.committer.date ?? project.createdAt.toISOString(),
    visibility: project.visibility,
    ...(simple
      ? {}
      : {
          repository_access_level: project.repositoryAccessLevel,
          empty_repo: head === null,
          archived: project.archived,
          marked_for_deletion_on: project.markedForDeletionOn,
        }),
  };
}

async function listBranches(call: ProjectCall) {
  const branches = await call.project.reader.branches();
  const { items, headers } = numberedPage(call, branches, call.settings.countedRecords);
  return jsonAnswer(200, await Promise.all(items.map(({ name }) => branchEntity(call, name))), headers);
}

async function showBranch(call: ProjectCall) {
  const [branch = ''] = call.params;
  if (!isSafeRevision(branch)) throw problem(400, { message: 'The branch refname is invalid' });
  return jsonAnswer(200, await branchEntity(call, branch));
}

async function branchEntity(call: ProjectCall, branch: string): Promise<object> {
  const sha = await call.project.reader.branchCommit(branch);
  const commit = sha === null ? null : await call.project.reader.commit(sha);
  if (commit === null) throw notFound('Branch');
  const head = await headOfProject(call.project);
  return {
    name: branch,
    commit: commitEntity(call, commit),
    merged: false,
    protected: head?.name === branch,
    developers_can_push: false,
    developers_can_merge: false,
    can_push: false,
    default: head?.name === branch,
    web_url: `${webUrl(call)}/-/tree/${branch}`,
  };
}

async function showCommit(call: ProjectCall) {
  const sha = await commitOfRef(call, call.params[0] ?? null, 'Commit');
  const commit = await call.project.reader.commit(sha);
  if (commit === null) throw notFound('Commit');
  const entity = commitEntity(call, commit);
  if (!booleanParameter(call.query, 'stats', true)) return jsonAnswer(200, entity);
  const counts = await call.project.reader.lineCounts(sha);
  return jsonAnswer(200, { ...entity, stats: { ...counts, total: counts.additions + counts.deletions } });
}

/** A commit as all endpoints show it. */
export function commitEntity(call: ProjectCall, commit: GitCommit): object {
  return {
    id: commit.sha,
    short_id: commit.sha.slice(0, 8),
    created_at: commit.committer.date,
    parent_ids: commit.parents,
    title: commit.message.split('\n', 1)[0],
    message: commit.message,
    author_name: commit.author.name,
    author_email: commit.author.email,
    authored_date: commit.author.date,
    committer_name: commit.committer.name,
    committer_email: commit.committer.email,
    committed_date: commit.committer.date,
    trailers: {},
    extended_trailers: {},
    web_url: `${webUrl(call)}/-/commit/${commit.sha}`,
  };
}

export function webUrl(call: ProjectCall): string {
  return `${call.baseUrl}/${call.project.path}`;
}

/** Members of the project, of its groups and of groups that it is shared with. */
async function showMember({ project, params: [id = ''] }: ProjectCall) {
  const level = project.members[Number(id)];
  if (level === undefined) throw notFound('Not found');
  const username = `user-${id}`;
  const member = {
    id: Number(id),
    username,
    name: username,
    state: 'active',
    access_level: level,
    expires_at: null,
  };
  return jsonAnswer(200, { ...member, membership_state: 'active' });
}

export const projectRoutes: readonly Route[] = [
  { segments: ['members', 'all', '*'], scopes: API_SCOPES, handle: showMember },
  { segments: [], scopes: API_SCOPES, handle: showProject },
  { segments: ['repository', 'branches'], scopes: API_SCOPES, handle: listBranches },
  { segments: ['repository', 'branches', '*'], scopes: API_SCOPES, handle: showBranch },
  { segments: ['repository', 'commits', '*'], scopes: API_SCOPES, handle: showCommit },
];
