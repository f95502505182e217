import { type GitTreeEntry, shownByGitLab, type TreeSelection } from '../git/tree.js';
import { type Answer, jsonAnswer } from '../http/answer.js';
import { badParameter, notFound, problem } from './api-problem.js';
import {
  API_SCOPES,
  booleanParameter,
  commitOfRef,
  positiveParameter,
  type ProjectCall,
  type Route,
} from './route.js';

const DEFAULT_PAGE_SIZE = 20;

interface Page {
  entries: readonly GitTreeEntry[];
  headers: Record<string, string>;
}

async function listTree(call: ProjectCall): Promise<Answer> {
  const { query, project, settings } = call;
  const isRecursive = booleanParameter(query, 'recursive', false);
  const pagination = paginationOf(query, isRecursive);
  const requested = positiveParameter(query, 'per_page', DEFAULT_PAGE_SIZE);
  const size = Math.min(requested, settings.maxTreePageSize);
  const number = positiveParameter(query, 'page', 1);
  const commit = await commitOfRef(call, query.get('ref'), 'Tree');
  const folder = (query.get('path') ?? '').replace(/^\/+|\/+$/g, '');
  const selection = (await project.reader.tree(commit)).select(folder, isRecursive);
  if (selection === null) throw notFound('invalid revision or path');
  const page = paginate(call, selection, pagination, size, number);
  return jsonAnswer(200, page.entries.map(treeEntity), page.headers);
}

function paginationOf(query: URLSearchParams, isRecursive: boolean): 'legacy' | 'keyset' | 'none' {
  const pagination = query.get('pagination') ?? 'legacy';
  if (pagination === 'none' && !isRecursive) {
    throw badParameter('pagination cannot be "none" unless "recursive" is true');
  }
  if (pagination !== 'legacy' && pagination !== 'keyset' && pagination !== 'none') {
    throw badParameter('pagination does not have a valid value');
  }
  return pagination;
}

function paginate(
  call: ProjectCall,
  selection: TreeSelection,
  pagination: 'legacy' | 'keyset' | 'none',
  size: number,
  number: number,
): Page {
  if (pagination === 'none') return { entries: selection.entries, headers: {} };
  if (pagination === 'keyset' && call.settings.keysetSupported) return keysetPage(call, selection, size);
  return numberedPage(call, selection, size, number);
}

function keysetPage(call: ProjectCall, selection: TreeSelection, size: number): Page {
  const start = startOfToken(selection, call.query.get('page_token'));
  const entries = selection.entries.slice(start, start + size);
  const last = entries.at(-1);
  // A full page always has a next link, so the last page may be empty.
  if (last === undefined || entries.length < size) return { entries, headers: {} };
  const token = Buffer.from(JSON.stringify({ file_name: last.path })).toString('base64');
  const next = linkTo(call, { page_token: token, per_page: `${size}` });
  return { entries, headers: { link: `<${next}>; rel="next"` } };
}

function startOfToken(selection: TreeSelection, token: string | null): number {
  if (token === null || token === '') return 0;
  try {
    const { file_name: last } = JSON.parse(Buffer.from(token, 'base64').toString()) as { file_name: string };
    const index = selection.indexOf.get(last);
    if (index !== undefined) return index + 1;
  } catch {
    // The token is not valid; the code below refuses it.
  }
  throw problem(422, { message: '422 Unprocessable Entity - Invalid page token' });
}

function numberedPage(call: ProjectCall, selection: TreeSelection, size: number, number: number): Page {
  const total = selection.entries.length;
  // With Gitaly's paging the first page has page-number headers without a total, and always names a second page.
  const isImitation = call.settings.keysetSupported && number === 1;
  const pages = isImitation ? Math.floor(total / size) + 1 : Math.max(1, Math.ceil(total / size));
  const next = isImitation ? 2 : number < pages ? number + 1 : null;
  const target = (page: number) => linkTo(call, { page: `${page}`, per_page: `${size}` });
  const links = [
    ...(number > 1 ? [`<${target(number - 1)}>; rel="prev"`] : []),
    ...(next === null ? [] : [`<${target(next)}>; rel="next"`]),
    `<${target(1)}>; rel="first"`,
    `<${target(pages)}>; rel="last"`,
  ];
  return {
    entries: selection.entries.slice((number - 1) * size, number * size),
    headers: {
      link: links.join(', '),
      'x-next-page': next === null ? '' : `${next}`,
      'x-page': `${number}`,
      'x-per-page': `${size}`,
      'x-prev-page': number > 1 ? `${number - 1}` : '',
      'x-total': `${total}`,
      'x-total-pages': `${pages}`,
    },
  };
}

function linkTo(call: ProjectCall, changes: Record<string, string>): string {
  const query = new URLSearchParams(call.query);
  query.set('id', `${call.project.id}`);
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  return `${call.baseUrl}${call.path}?${query.toString()}`;
}

function treeEntity(entry: GitTreeEntry): object {
  const path = shownByGitLab(entry.path);
  const name = path.slice(path.lastIndexOf('/') + 1);
  return { id: entry.sha, name, type: entry.type, path, mode: entry.mode };
}

export const treeRoutes: readonly Route[] = [
  { segments: ['repository', 'tree'], scopes: API_SCOPES, handle: listTree },
];
