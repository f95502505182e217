import { type TreeEntry } from '@core/domain';
import { answerInvalid } from './failure.js';
import { type GitLabHttp } from './gitlab-http.js';
import { nextPage } from './next-page.js';
import { shaped, treePageShape } from './shapes.js';

/** GitLab's maximum; more is silently cut to it. */
const PER_PAGE = 100;

const FOLDER_MODE = '040000';

/** All files, symlinks and submodules of a commit's tree, page by page. */
export async function* treePages(
  http: GitLabHttp,
  projectId: number,
  commit: string,
  signal: AbortSignal,
): AsyncGenerator<TreeEntry[]> {
  const whole = { ref: commit, recursive: 'true' };
  for await (const page of listPages(http, projectId, whole, signal)) {
    const files = page.filter(({ mode }) => mode !== FOLDER_MODE);
    if (files.length > 0) yield files;
  }
}

/** What stands in a folder itself, folders included; the empty path is the root. */
export async function folderEntries(
  http: GitLabHttp,
  projectId: number,
  commit: string,
  folder: string,
  signal: AbortSignal,
): Promise<TreeEntry[]> {
  const entries: TreeEntry[] = [];
  const selection = { ref: commit, recursive: 'false', ...(folder === '' ? {} : { path: folder }) };
  for await (const page of listPages(http, projectId, selection, signal)) entries.push(...page);
  return entries;
}

/**
 * Entries of a commit's tree, page by page along the server's own links. Memory holds one page and a short mark of
 * each page before it. Ends normally only when the listing is known to be complete.
 */
async function* listPages(
  http: GitLabHttp,
  projectId: number,
  selection: { ref: string; recursive: string; path?: string },
  signal: AbortSignal,
): AsyncGenerator<TreeEntry[]> {
  const commit = selection.ref;
  const fetchPage = async (query: string) => {
    const { headers, json } = await http.getJson(`projects/${projectId}/repository/tree?${query}`, signal);
    return { headers, entries: shaped(treePageShape, 'a page of the tree', json, http.counterpart) };
  };
  const broken = (found: string) => answerInvalid(http.counterpart, `the tree of commit ${commit}: ${found}`);
  const common = { ...selection, per_page: String(PER_PAGE) };
  const firstPaths = new Set<string>();
  let query = new URLSearchParams({ ...common, pagination: 'keyset' }).toString();

  for (let page = 1; ; page += 1) {
    const { headers, entries } = await fetchPage(query);
    // A path stands in one tree once. Meeting a page's first path again means going round in circles.
    const [first] = entries;
    if (first !== undefined && firstPaths.has(first.path)) throw broken(`page ${page} was listed before`);
    if (first !== undefined) firstPaths.add(first.path);

    yield entries.map(({ path, mode, id }) => ({ path, mode, blobSha: id }));

    const next = nextPage(headers);
    if (next === null) throw broken(`page ${page} names a next page but gives no link to it`);
    if (next.kind === 'query') {
      if (first === undefined) throw broken(`page ${page} is empty but links to another`);
      if (new URLSearchParams(next.query).get('ref') !== commit)
        throw broken(`page ${page} links to another ref`);
      query = next.query;
      continue;
    }
    if (next.kind === 'unsaid' && entries.length >= PER_PAGE) {
      // GitLab says nothing after a last page, even a full one; a proxy that drops `Link` looks the same.
      const beyond = await fetchPage(new URLSearchParams({ ...common, page: String(page + 1) }).toString());
      if (beyond.entries.length > 0) throw broken(`page ${page} has no Link header but is not the last`);
    }
    return;
  }
}
