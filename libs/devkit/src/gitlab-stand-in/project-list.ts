import { type Answer, jsonAnswer } from '../http/answer.js';
import { type Caller } from './access.js';
import { badParameter, notFound, problem } from './api-problem.js';
import { linkTo, numberedPage, pageSize } from './numbered-page.js';
import { projectEntity } from './project-routes.js';
import { accessTo, type ProjectRegistry, type ServedProject } from './projects.js';
import { booleanParameter, optionalBoolean } from './route.js';
import { type GitLabSettings } from './settings.js';

/** A listing of projects, of the instance or of a group. */
export interface ListCall {
  baseUrl: string;
  /** As sent. */
  path: string;
  query: URLSearchParams;
  caller: Caller;
  projects: ProjectRegistry;
  settings: GitLabSettings;
}

/** `GET /projects`: the projects that the caller may see; keyset paging by id if requested and supported. */
export async function listProjects(call: ListCall): Promise<Answer> {
  const { query, caller } = call;
  const membersOnly = booleanParameter(query, 'membership', false) && caller.name !== null;
  const visible = visibleTo(call).filter((project) => !membersOnly || isMember(project, caller));
  const found = sorted(call, visible);
  if (query.get('pagination') !== 'keyset' || !call.settings.keysetSupported) return numbered(call, found);
  if ((query.get('order_by') ?? 'created_at') !== 'id') {
    throw problem(405, {
      error: 'Keyset pagination is not yet available for this type of request',
    });
  }
  const after = Number(query.get(isAscending(query) ? 'id_after' : 'id_before') ?? NaN);
  const rest = found.filter(
    ({ id }) => Number.isNaN(after) || (isAscending(query) ? id > after : id < after),
  );
  const page = rest.slice(0, pageSize(query));
  const last = page.at(-1);
  // Every page with rows has a next link, so the last page is empty.
  const headers: Record<string, string> =
    last === undefined
      ? {}
      : {
          link: `<${linkTo(call, { [isAscending(query) ? 'id_after' : 'id_before']: `${last.id}` })}>; rel="next"`,
        };
  return jsonAnswer(200, await entities(call, page), headers);
}

/** `GET /groups/:id/projects`: always paged by number; only the instance's listing supports keysets. */
export async function listGroupProjects(call: ListCall, idOrPath: string): Promise<Answer> {
  const group = call.projects.groupOf(idOrPath);
  const isKnown =
    group !== null &&
    (group.isPublic || call.projects.all().some((each) => isIn(each, group.path) && isSeen(each, call)));
  // A hidden group and a missing one give the same answer.
  if (!isKnown) throw notFound('Group');
  const deep = booleanParameter(call.query, 'include_subgroups', false);
  const inside = visibleTo(call).filter(
    (project) => isIn(project, group.path) && (deep || parentOf(project) === group.path),
  );
  const shared = booleanParameter(call.query, 'with_shared', true)
    ? visibleTo(call).filter(({ sharedWith }) => sharedWith.includes(group.path))
    : [];
  return numbered(call, sorted(call, [...inside, ...shared]));
}

async function numbered(call: ListCall, found: readonly ServedProject[]): Promise<Answer> {
  const { items, headers } = numberedPage(call, found, call.settings.countedRecords);
  return jsonAnswer(200, await entities(call, items), headers);
}

function visibleTo(call: ListCall): ServedProject[] {
  const archived = optionalBoolean(call.query, 'archived');
  const active = optionalBoolean(call.query, 'active');
  return call.projects
    .all()
    .filter((project) => isSeen(project, call))
    .filter((project) => archived === null || project.archived === archived)
    .filter(
      (project) => active === null || active === !(project.archived || project.markedForDeletionOn !== null),
    );
}

function isSeen(project: ServedProject, { caller }: ListCall): boolean {
  return accessTo(project, caller) !== 'none';
}

function isMember({ roles }: ServedProject, { name }: Caller): boolean {
  return roles === null || (name !== null && roles[name] !== undefined);
}

function isIn(project: ServedProject, groupPath: string): boolean {
  return project.path.startsWith(`${groupPath}/`);
}

function parentOf({ path }: ServedProject): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function isAscending(query: URLSearchParams): boolean {
  return query.get('sort') === 'asc';
}

function sorted(call: ListCall, projects: readonly ServedProject[]): ServedProject[] {
  const orderBy = call.query.get('order_by') ?? 'created_at';
  if (orderBy !== 'id' && orderBy !== 'created_at' && orderBy !== 'path')
    throw badParameter('order_by does not have a valid value');
  const direction = isAscending(call.query) ? 1 : -1;
  const byId = (a: ServedProject, b: ServedProject) => a.id - b.id;
  const order =
    orderBy === 'path' ? (a: ServedProject, b: ServedProject) => a.path.localeCompare(b.path) : byId;
  return projects.toSorted((a, b) => direction * order(a, b));
}

function entities(call: ListCall, projects: readonly ServedProject[]): Promise<object[]> {
  const isSimple = booleanParameter(call.query, 'simple', false);
  return Promise.all(projects.map((project) => projectEntity(call, project, isSimple)));
}
