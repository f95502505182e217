import {
  bytesOfPath,
  groupsOf,
  pathOfText,
  type ProjectName,
  RepotideError,
  type TreeEntry,
} from '@core/domain';
import { z } from 'zod';
import { objectId, parseResponse } from '../http/response-schema.js';
import { invalidResponse } from '../http/failure.js';
import { type GitLabHttp } from '../http/gitlab-http.js';

/** Ten times the usual size of a hundred source files. A query with a longer response is split in half. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024;

const blobSchema = z.object({
  path: z.string().transform(pathOfText),
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
  errors: z.array(z.object({ message: z.string() }).catch({ message: '' })).nullish(),
});
type BlobNode = z.infer<typeof blobSchema>;

/**
 * `first` is the number of paths: without it a server may return fewer nodes than the query has paths, and a larger one
 * makes the query more complex.
 */
function queryFor(fields: string): string {
  return `query ($project: ID!, $ref: String!, $paths: [String!]!, $first: Int!) { project(fullPath: $project) { repository {
    blobs(paths: $paths, ref: $ref, first: $first) { nodes { ${fields} } pageInfo { hasNextPage } } } } }`;
}
const FIND = queryFor('path oid mode');
const READ = queryFor('path oid size rawTextBlob');

/** GitLab counts about two points of complexity per path, and allows 250 to users and 200 to anonymous callers. */
const MOST_PATHS = 100;
const MOST_PATHS_ANONYMOUS = 80;
/** Smaller batches save hardly a request, so a refusal for their complexity ends the batches. */
const FEWEST_PATHS = 8;

export interface BlobQuery {
  project: ProjectName;
  commit: string;
  paths: readonly string[];
  signal: AbortSignal;
}

/** Batches of blobs over GraphQL. Learns from refusals how many paths a query may have. */
export class GraphqlBlobs {
  private mostPaths: number;

  constructor(private readonly http: GitLabHttp) {
    this.mostPaths = http.target.token === null ? MOST_PATHS_ANONYMOUS : MOST_PATHS;
  }

  async find(query: BlobQuery): Promise<Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>> {
    const found = new Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>();
    for (const { path, oid, mode } of await this.fetch(FIND, query)) {
      if (typeof mode === 'string') found.set(path, { mode, blobSha: oid });
    }
    return found;
  }

  /** Leaves out incomplete texts: a server may truncate large blobs, and converts other encodings to UTF-8. */
  async readTexts(query: BlobQuery): Promise<Map<string, Uint8Array>> {
    const texts = new Map<string, Uint8Array>();
    for (const { path, size, rawTextBlob } of await this.fetch(READ, query)) {
      if (typeof rawTextBlob !== 'string') continue;
      const bytes = Buffer.from(rawTextBlob);
      if (bytes.length === size) texts.set(path, bytes);
    }
    return texts;
  }

  private async fetch(text: string, query: BlobQuery): Promise<BlobNode[]> {
    const { project, commit, paths, signal } = query;
    if (paths.length > this.mostPaths) return this.fetchParts(text, query, this.mostPaths);
    const names = paths.map((path) => bytesOfPath(path).toString());
    const variables = { project: project.projectPath, ref: commit, paths: names, first: names.length };
    const response = await this.http.queryGraphql(text, variables, MAX_RESPONSE_BYTES, signal);
    const nodes = response === null ? 'too_large' : nodesOf(this.http, response.json);
    if (Array.isArray(nodes)) return nodes;
    // One file alone exceeds the limit: the caller reads it by its blob SHA.
    if (paths.length <= 1 && nodes === 'too_large') return [];
    const half = Math.ceil(paths.length / 2);
    if (nodes !== 'too_large') {
      if (paths.length <= FEWEST_PATHS) throw nodes;
      this.mostPaths = half;
    }
    return this.fetchParts(text, query, half);
  }

  private async fetchParts(text: string, query: BlobQuery, size: number): Promise<BlobNode[]> {
    const nodes: BlobNode[] = [];
    for (const paths of groupsOf(query.paths, size))
      nodes.push(...(await this.fetch(text, { ...query, paths })));
    return nodes;
  }
}

/** Returns a refusal that smaller queries avoid. GitLab limits the data of a query with several paths to 20 MB. */
function nodesOf({ target }: GitLabHttp, json: unknown): BlobNode[] | 'too_large' | RepotideError {
  const { data, errors } = parseResponse(responseSchema, 'a GraphQL response', json, target);
  const [error] = errors ?? [];
  if (error !== undefined) {
    const said = error.message;
    if (/blobs size limit exceeded/i.test(said)) return 'too_large';
    // Refusals have status 200.
    const message = `GitLab at ${target.baseUrl} refused a GraphQL query.`;
    const refusal = new RepotideError('invalid', 'source_query_refused', message);
    if (/exceeds max complexity/i.test(said)) return refusal;
    throw refusal;
  }
  const blobs = data?.project?.repository?.blobs;
  if (blobs === undefined) {
    const message = `GraphQL of GitLab at ${target.baseUrl} shows no repository under the project's path.`;
    throw new RepotideError('not_found', 'source_not_found', message);
  }
  if (blobs.pageInfo.hasNextPage)
    throw invalidResponse(target, 'a page with all blobs of a query has a next page');
  return blobs.nodes;
}
