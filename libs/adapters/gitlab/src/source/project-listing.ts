import { type ListedProject, type ProjectListing, RepotideError } from '@core/domain';
import { z } from 'zod';
import { type GitLabHttp, type ProjectAccess } from '../http/gitlab-http.js';
import { listPages, type ListPage, type PagedList } from './pagination.js';

/** If a list changes while it is read, it is read again. */
const ATTEMPTS = 3;

/** Fields that depend on the reader's access may be absent. */
export const projectSchema = z.object({
  id: z.int().positive(),
  path_with_namespace: z.string().min(1),
  default_branch: z.string().min(1).nullish(),
  empty_repo: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  marked_for_deletion_on: z.string().nullish(),
});
type ProjectRow = z.infer<typeof projectSchema>;

const branchNamesSchema = z.array(z.object({ name: z.string().min(1) }));

/** All projects of a group, or of the instance. */
export async function listProjects(
  http: GitLabHttp,
  listing: ProjectListing,
  signal: AbortSignal,
): Promise<ListedProject[]> {
  const what = listing.groupPath === null ? 'the projects' : `the projects of ${listing.groupPath}`;
  const list = { ...addressOf(listing), what, rowSchema: z.array(projectSchema) };
  const rows = await listConsistently(http, list, ({ id }) => id, signal);
  return rows
    .filter((row) => !isMarkedForDeletion(row))
    .map((row) => ({
      projectId: row.id,
      projectPath: row.path_with_namespace,
      defaultBranch: row.default_branch ?? null,
    }));
}

/** Names of a project's branches. */
export async function listBranches({ http, projectId, signal }: ProjectAccess): Promise<string[]> {
  const endpoint = `projects/${projectId}/repository/branches`;
  const what = `the branches of project ${projectId}`;
  const list = { endpoint, query: {}, what, rowSchema: branchNamesSchema };
  const rows = await listConsistently(http, list, ({ name }) => name, signal);
  return rows.map(({ name }) => name);
}

/** GitLab shows a project that was deleted with a delay until its deletion date. */
export function isMarkedForDeletion(row: Pick<ProjectRow, 'marked_for_deletion_on'>): boolean {
  return (row.marked_for_deletion_on ?? null) !== null;
}

/** Ordered by id, ascending: a new project comes last and does not move others between pages. */
function addressOf(listing: ProjectListing): { endpoint: string; query: Record<string, string> } {
  const { groupPath, includeSubgroups, includeArchived, membersOnly } = listing;
  const query: Record<string, string> = { simple: 'true', order_by: 'id', sort: 'asc' };
  // `active` also leaves out projects marked for deletion; older servers ignore it.
  if (!includeArchived) Object.assign(query, { archived: 'false', active: 'true' });
  if (groupPath === null) {
    if (membersOnly) query['membership'] = 'true';
    return { endpoint: 'projects', query: { ...query, pagination: 'keyset' } };
  }
  Object.assign(query, { include_subgroups: String(includeSubgroups), with_shared: 'false' });
  return { endpoint: `groups/${encodeURIComponent(groupPath)}/projects`, query };
}

/** Reads the list again when rows moved between its pages, as they do when something is deleted meanwhile. */
async function listConsistently<Row>(
  http: GitLabHttp,
  list: PagedList<Row>,
  keyOf: (row: Row) => number | string,
  signal: AbortSignal,
): Promise<Row[]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const rows = await consistentRows(listPages(http, list, signal), keyOf);
    if (rows !== null) return rows;
  }
  const message = `${list.what} changed while they were listed, ${ATTEMPTS} times in a row. A later listing may succeed.`;
  throw new RepotideError('temporary', 'listing_unsteady', message);
}

/** @returns null when the pages are not consistent. */
async function consistentRows<Row>(
  pages: AsyncIterable<ListPage<Row>>,
  keyOf: (row: Row) => number | string,
): Promise<Row[] | null> {
  const byKey = new Map<number | string, Row>();
  const totals = new Set<string>();
  for await (const { rows, headers, nextQuery } of pages) {
    const total = headers['x-total'];
    if (typeof total === 'string') totals.add(total);
    const known = byKey.size;
    for (const row of rows) byKey.set(keyOf(row), row);
    // A row seen twice means that rows moved between pages, so that others may have been missed.
    if (byKey.size !== known + rows.length) return null;
    if (rows.length === 0 && nextQuery !== null) return null;
  }
  const isConsistent = totals.size === 0 || (totals.size === 1 && totals.has(String(byKey.size)));
  return isConsistent ? [...byKey.values()] : null;
}
