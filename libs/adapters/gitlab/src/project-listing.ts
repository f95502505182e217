import { type ListedProject, type ProjectListing, RepotideError } from '@core/domain';
import { type z } from 'zod';
import { answerInvalid } from './failure.js';
import { type GitLabHttp } from './gitlab-http.js';
import { nextPage } from './next-page.js';
import { branchPageShape, projectPageShape, shaped } from './shapes.js';

/** GitLab's maximum; more is silently cut to it. */
const PER_PAGE = 100;
/** What changes while it is listed is listed anew so often. */
const ATTEMPTS = 3;

type ListedRow = z.infer<typeof projectPageShape>[number];

interface Listing<Row> {
  endpoint: string;
  query: Record<string, string>;
  what: string;
  shape: z.ZodType<Row[]>;
  keyOf: (row: Row) => number | string;
}

/** All projects of a group, or of the instance. */
export async function listProjects(
  http: GitLabHttp,
  listing: ProjectListing,
  signal: AbortSignal,
): Promise<ListedProject[]> {
  const { endpoint, query } = addressOf(listing);
  const what = listing.groupPath === null ? 'the projects' : `the projects of ${listing.groupPath}`;
  const rows = await listSteadily(
    http,
    { endpoint, query, what, shape: projectPageShape, keyOf: ({ id }) => id },
    signal,
  );
  return rows
    .filter((row) => !isMarked(row))
    .map((row) => ({
      projectId: row.id,
      projectPath: row.path_with_namespace,
      defaultBranch: row.default_branch ?? null,
    }));
}

/** Names of a project's branches. */
export async function listBranches(
  http: GitLabHttp,
  projectId: number,
  signal: AbortSignal,
): Promise<string[]> {
  const endpoint = `projects/${projectId}/repository/branches`;
  const what = `the branches of project ${projectId}`;
  const rows = await listSteadily(
    http,
    { endpoint, query: {}, what, shape: branchPageShape, keyOf: ({ name }) => name },
    signal,
  );
  return rows.map(({ name }) => name);
}

/** Deleted with a delay: GitLab shows the project until its date. */
export function isMarked(row: Pick<ListedRow, 'marked_for_deletion_on'>): boolean {
  return (row.marked_for_deletion_on ?? null) !== null;
}

/** By id, ascending: what is new comes last, and moves nothing between pages. */
function addressOf(listing: ProjectListing): { endpoint: string; query: Record<string, string> } {
  const { groupPath, includeSubgroups, includeArchived, membersOnly } = listing;
  const query: Record<string, string> = { simple: 'true', order_by: 'id', sort: 'asc' };
  // `active` also leaves out what is marked for deletion; servers that do not know it ignore it.
  if (!includeArchived) Object.assign(query, { archived: 'false', active: 'true' });
  if (groupPath === null) {
    if (membersOnly) query['membership'] = 'true';
    return { endpoint: 'projects', query: { ...query, pagination: 'keyset' } };
  }
  const ofGroup = { include_subgroups: String(includeSubgroups), with_shared: 'false' };
  return {
    endpoint: `groups/${encodeURIComponent(groupPath)}/projects`,
    query: { ...query, ...ofGroup },
  };
}

/** Pages by number shift when something is removed between two of them: the listing is taken again then. */
async function listSteadily<Row>(
  http: GitLabHttp,
  listing: Listing<Row>,
  signal: AbortSignal,
): Promise<Row[]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const rows = await listOnce(http, listing, signal);
    if (rows !== null) return rows;
  }
  throw new RepotideError(
    'temporary',
    'listing_unsteady',
    `${listing.what} changed while they were listed, ${ATTEMPTS} times in a row. A later listing may succeed.`,
  );
}

/** @returns null when the pages do not fit together. */
async function listOnce<Row>(
  http: GitLabHttp,
  { endpoint, query, what, shape, keyOf }: Listing<Row>,
  signal: AbortSignal,
): Promise<Row[] | null> {
  const byKey = new Map<number | string, Row>();
  const totals = new Set<string>();
  const common = { ...query, per_page: String(PER_PAGE) };
  const broken = (found: string) => answerInvalid(http.counterpart, `${what}: ${found}`);
  const fetchPage = async (pageQuery: string) => {
    const { headers, json } = await http.getJson(`${endpoint}?${pageQuery}`, signal);
    return { headers, rows: shaped(shape, `a page of ${what}`, json, http.counterpart) };
  };
  let pageQuery = new URLSearchParams(common).toString();
  for (let page = 1; ; page += 1) {
    const { headers, rows } = await fetchPage(pageQuery);
    const total = headers['x-total'];
    if (typeof total === 'string') totals.add(total);
    const known = byKey.size;
    for (const row of rows) byKey.set(keyOf(row), row);
    // A row seen twice means that rows moved between pages, and that others may have slipped past.
    if (byKey.size !== known + rows.length) return null;

    const next = nextPage(headers);
    if (next === null) throw broken(`page ${page} names a next page but gives no link to it`);
    if (next.kind === 'query') {
      if (rows.length === 0) return null;
      pageQuery = next.query;
      continue;
    }
    if (next.kind === 'unsaid' && rows.length >= PER_PAGE) {
      const beyond = await fetchPage(new URLSearchParams({ ...common, page: String(page + 1) }).toString());
      if (beyond.rows.length > 0) throw broken(`page ${page} has no Link header but is not the last`);
    }
    const isSteady = totals.size === 0 || (totals.size === 1 && totals.has(String(byKey.size)));
    return isSteady ? [...byKey.values()] : null;
  }
}
