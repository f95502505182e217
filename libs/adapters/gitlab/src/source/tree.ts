import { type TreeEntry } from '@core/domain';
import { z } from 'zod';
import { objectId } from '../http/response-schema.js';
import { invalidResponse } from '../http/failure.js';
import { type GitLabHttp } from '../http/gitlab-http.js';
import { listPages } from './pagination.js';

const FOLDER_MODE = '040000';

const treeSchema = z.array(
  z.object({
    id: objectId,
    path: z.string().min(1),
    type: z.enum(['blob', 'tree', 'commit']),
    mode: z.string().regex(/^\d{6}$/, 'expected a git mode'),
  }),
);

/** All files, symlinks and submodules of a commit's tree, page by page. Ends normally only after a complete listing. */
export async function* listTree(
  http: GitLabHttp,
  projectId: number,
  commit: string,
  signal: AbortSignal,
): AsyncGenerator<TreeEntry[]> {
  for await (const page of treePages(http, projectId, { ref: commit, recursive: 'true' }, signal)) {
    const files = page.filter(({ mode }) => mode !== FOLDER_MODE);
    if (files.length > 0) yield files;
  }
}

/** The direct entries of one folder, subfolders included; the empty path is the root. */
export async function listFolder(
  http: GitLabHttp,
  projectId: number,
  commit: string,
  folder: string,
  signal: AbortSignal,
): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const query = { ref: commit, recursive: 'false', ...(folder === '' ? {} : { path: folder }) };
  for await (const page of treePages(http, projectId, query, signal)) entries.push(...page);
  return entries;
}

/** Keeps one page in memory, and the first path of each page before it. */
async function* treePages(
  http: GitLabHttp,
  projectId: number,
  selection: { ref: string; recursive: string; path?: string },
  signal: AbortSignal,
): AsyncGenerator<TreeEntry[]> {
  const { ref } = selection;
  const endpoint = `projects/${projectId}/repository/tree`;
  const what = `the tree of commit ${ref}`;
  const query = { ...selection, pagination: 'keyset' };
  const firstPaths = new Set<string>();
  for await (const page of listPages(http, { endpoint, query, what, rowSchema: treeSchema }, signal)) {
    const { rows, nextQuery } = page;
    const broken = (found: string) => invalidResponse(http.target, `${what}: ${found}`);
    const first = rows[0]?.path;
    // A path is in a tree once: if a page's first path repeats, the links form a cycle.
    if (first !== undefined && firstPaths.has(first)) throw broken(`the page of "${first}" was listed twice`);
    if (first !== undefined) firstPaths.add(first);
    yield rows.map(({ path, mode, id }) => ({ path, mode, blobSha: id }));
    if (nextQuery === null) continue;
    if (first === undefined) throw broken('an empty page links to another');
    if (new URLSearchParams(nextQuery).get('ref') !== ref) throw broken('a page links to another ref');
  }
}
