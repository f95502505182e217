import { type ProjectName, RepotideError, type TreeEntry } from '@core/domain';
import { z } from 'zod';
import { objectId, parseResponse } from '../http/response-schema.js';
import { invalidResponse } from '../http/failure.js';
import { type GitLabHttp } from '../http/gitlab-http.js';
import { quoteErrorMessage } from '../http/server-message.js';

/** Ten times the usual size of a hundred source files. A query with a longer response is split in half. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const blobSchema = z.object({
  path: z.string().min(1),
  oid: objectId,
  mode: z.string().nullish(),
  // A GraphQL BigInt, sent as text.
  size: z.coerce.number().nullish(),
  rawTextBlob: z.string().nullish(),
});
const repositorySchema = z.object({
  blobs: z.object({ nodes: z.array(blobSchema), pageInfo: z.object({ hasNextPage: z.boolean() }) }),
});
const responseSchema = z.object({
  data: z.object({ project: z.object({ repository: repositorySchema.nullable() }).nullable() }).nullish(),
  errors: z.array(z.unknown()).nullish(),
});
type BlobNode = z.infer<typeof blobSchema>;

/** Needs `first`: without it a server may return fewer nodes than the query has paths. */
function queryFor(fields: string): string {
  return `query ($project: ID!, $ref: String!, $paths: [String!]!) { project(fullPath: $project) { repository {
    blobs(paths: $paths, ref: $ref, first: 100) { nodes { ${fields} } pageInfo { hasNextPage } } } } }`;
}
const FIND = queryFor('path oid mode');
const READ = queryFor('path oid size rawTextBlob');

export interface BlobQuery {
  http: GitLabHttp;
  project: ProjectName;
  commit: string;
  paths: readonly string[];
  signal: AbortSignal;
}

export async function findBlobs(query: BlobQuery): Promise<Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>> {
  const found = new Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>();
  for (const { path, oid, mode } of await fetchBlobs(FIND, query)) {
    if (typeof mode === 'string') found.set(path, { mode, blobSha: oid });
  }
  return found;
}

/** Leaves out incomplete texts: a server may truncate large blobs, and converts other encodings to UTF-8. */
export async function readTexts(query: BlobQuery): Promise<Map<string, Uint8Array>> {
  const texts = new Map<string, Uint8Array>();
  for (const { path, size, rawTextBlob } of await fetchBlobs(READ, query)) {
    if (typeof rawTextBlob !== 'string') continue;
    const bytes = Buffer.from(rawTextBlob);
    if (bytes.length === size) texts.set(path, bytes);
  }
  return texts;
}

async function fetchBlobs(text: string, query: BlobQuery): Promise<BlobNode[]> {
  const { http, project, commit, paths, signal } = query;
  const variables = { project: project.projectPath, ref: commit, paths };
  const response = await http.queryGraphql(text, variables, MAX_RESPONSE_BYTES, signal);
  if (response !== null) return nodesOf(http, response.json);
  // One file alone exceeds the limit: the caller reads it by its blob SHA.
  if (paths.length <= 1) return [];
  const middle = Math.ceil(paths.length / 2);
  const first = await fetchBlobs(text, { ...query, paths: paths.slice(0, middle) });
  return [...first, ...(await fetchBlobs(text, { ...query, paths: paths.slice(middle) }))];
}

function nodesOf({ target }: GitLabHttp, json: unknown): BlobNode[] {
  const { data, errors } = parseResponse(responseSchema, 'a GraphQL response', json, target);
  const [error] = errors ?? [];
  if (error !== undefined) {
    // Refusals have status 200.
    const quote = quoteErrorMessage(JSON.stringify(error), target.token);
    const message = `GitLab at ${target.baseUrl} refused a GraphQL query${quote === null ? '.' : `: "${quote}".`}`;
    throw new RepotideError('invalid', 'source_query_refused', message);
  }
  const blobs = data?.project?.repository?.blobs;
  if (blobs === undefined) {
    const message = `GraphQL of GitLab at ${target.baseUrl} shows no repository under the project's path.`;
    throw new RepotideError('not_found', 'source_not_found', message);
  }
  if (blobs.pageInfo.hasNextPage)
    throw invalidResponse(target, 'a page of fewer than 100 blobs has a next page');
  return blobs.nodes;
}
