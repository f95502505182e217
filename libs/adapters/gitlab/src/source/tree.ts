import { bytesOfPath, pathOfText, type TreeEntry } from '@core/domain';
import { z } from 'zod';
import { objectId } from '../http/response-schema.js';
import { invalidResponse } from '../http/failure.js';
import { type ProjectAccess } from '../http/gitlab-http.js';
import { listPages } from './pagination.js';

const FOLDER_MODE = '040000';

const treeSchema = z.array(
  z.object({
    id: objectId,
    // Empty: GitLab removes the bytes of a name that are not UTF-8, which may be all.
    path: z.string(),
    type: z.enum(['blob', 'tree', 'commit']),
    mode: z.string().regex(/^\d{6}$/, 'expected a git mode'),
  }),
);

/** All files, symlinks and submodules of a commit's tree, page by page. Ends normally only after a complete listing. */
export async function* listTree(project: ProjectAccess, commit: string): AsyncGenerator<TreeEntry[]> {
  for await (const page of treePages(project, { ref: commit, recursive: 'true' })) {
    const files = page.filter(({ mode }) => mode !== FOLDER_MODE);
    if (files.length > 0) yield files;
  }
}

/** The direct entries of one folder, subfolders included; the empty path is the root. */
export async function listFolder(
  project: ProjectAccess,
  commit: string,
  folder: string,
): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const path = folder === '' ? {} : { path: bytesOfPath(folder).toString() };
  const selection = { ref: commit, recursive: 'false', ...path };
  for await (const page of treePages(project, selection)) entries.push(...page);
  return entries;
}

/** Keeps one page in memory, and the first entry of each page before it. */
async function* treePages(
  { http, projectId, signal }: ProjectAccess,
  selection: { ref: string; recursive: string; path?: string },
): AsyncGenerator<TreeEntry[]> {
  const { ref } = selection;
  const endpoint = `projects/${projectId}/repository/tree`;
  const what = `the tree of commit ${ref}`;
  const query = { ...selection, pagination: 'keyset' };
  const firstEntries = new Set<string>();
  for await (const page of listPages(http, { endpoint, query, what, rowSchema: treeSchema }, signal)) {
    const { rows, nextQuery } = page;
    const broken = (found: string) => invalidResponse(http.target, `${what}: ${found}`);
    const first = rows[0] && `${rows[0].path}" with the id "${rows[0].id}`;
    // An entry is in a tree once: if a page's first one repeats, the links form a cycle.
    if (first !== undefined && firstEntries.has(first))
      throw broken(`the page of "${first}" was listed twice`);
    if (first !== undefined) firstEntries.add(first);
    yield rows.map(({ path, mode, id }) => ({ path: pathOfText(path), mode, blobSha: id }));
    if (nextQuery === null) continue;
    if (first === undefined) throw broken('an empty page links to another');
    if (new URLSearchParams(nextQuery).get('ref') !== ref) throw broken('a page links to another ref');
  }
}
