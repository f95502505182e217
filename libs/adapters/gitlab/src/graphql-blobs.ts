import { type ProjectName, RepotideError, type TreeEntry } from '@core/domain';
import { z } from 'zod';
import { answerInvalid } from './failure.js';
import { type GitLabHttp } from './gitlab-http.js';
import { quoteServer } from './server-words.js';
import { objectId, shaped } from './shapes.js';

/** A hundred source files are a tenth of this. A longer answer is asked for in halves. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

const answerShape = z.object({
  data: z
    .object({
      project: z
        .object({
          repository: z
            .object({
              blobs: z.object({
                nodes: z.array(
                  z.object({
                    path: z.string().min(1),
                    oid: objectId,
                    mode: z.string().nullish(),
                    // A BigInt, which travels as text.
                    size: z.coerce.number().nullish(),
                    rawTextBlob: z.string().nullish(),
                  }),
                ),
                pageInfo: z.object({ hasNextPage: z.boolean() }),
              }),
            })
            .nullable(),
        })
        .nullable(),
    })
    .nullish(),
  errors: z.array(z.unknown()).nullish(),
});
type BlobNode = NonNullable<
  NonNullable<NonNullable<z.infer<typeof answerShape>['data']>['project']>['repository']
>['blobs']['nodes'][number];

/** `first` is needed: without it a server may cut the page to fewer nodes than paths were asked for. */
function queryFor(fields: string): string {
  return `query ($project: ID!, $ref: String!, $paths: [String!]!) { project(fullPath: $project) { repository {
    blobs(paths: $paths, ref: $ref, first: 100) { nodes { ${fields} } pageInfo { hasNextPage } } } } }`;
}
const FIND = queryFor('path oid mode');
const READ = queryFor('path oid size rawTextBlob');

export interface BlobQuestion {
  http: GitLabHttp;
  project: ProjectName;
  commit: string;
  signal: AbortSignal;
}

export async function findBlobs(
  question: BlobQuestion,
  paths: readonly string[],
): Promise<Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>> {
  const found = new Map<string, Pick<TreeEntry, 'mode' | 'blobSha'>>();
  for (const { path, oid, mode } of await askForBlobs(question, FIND, paths)) {
    if (typeof mode === 'string') found.set(path, { mode, blobSha: oid });
  }
  return found;
}

/** Only what came whole: a server may cut large blobs, and gives text of another encoding as UTF-8. */
export async function readTexts(
  question: BlobQuestion,
  paths: readonly string[],
): Promise<Map<string, Uint8Array>> {
  const texts = new Map<string, Uint8Array>();
  for (const { path, size, rawTextBlob } of await askForBlobs(question, READ, paths)) {
    if (typeof rawTextBlob !== 'string') continue;
    const bytes = Buffer.from(rawTextBlob);
    if (bytes.length === size) texts.set(path, bytes);
  }
  return texts;
}

async function askForBlobs(
  question: BlobQuestion,
  query: string,
  paths: readonly string[],
): Promise<BlobNode[]> {
  const { http, project, commit, signal } = question;
  const variables = { project: project.projectPath, ref: commit, paths };
  const answer = await http.queryGraphql(query, variables, MAX_ANSWER_BYTES, signal);
  if (answer !== null) return nodesOf(http, answer.json);
  // One file alone is too long for a batch: whoever wants it reads it by itself.
  if (paths.length <= 1) return [];
  const middle = Math.ceil(paths.length / 2);
  const first = await askForBlobs(question, query, paths.slice(0, middle));
  return [...first, ...(await askForBlobs(question, query, paths.slice(middle)))];
}

function nodesOf(http: GitLabHttp, json: unknown): BlobNode[] {
  const { data, errors } = shaped(answerShape, 'a GraphQL answer', json, http.counterpart);
  const [error] = errors ?? [];
  if (error !== undefined) throw queryRefused(http, error);
  const blobs = data?.project?.repository?.blobs;
  if (blobs === undefined) throw unknownPath(http);
  if (blobs.pageInfo.hasNextPage)
    throw answerInvalid(http.counterpart, 'a page of blobs was cut below 100 paths');
  return blobs.nodes;
}

/** Refusals come with status 200. */
function queryRefused({ counterpart }: GitLabHttp, error: unknown): RepotideError {
  const quote = quoteServer(JSON.stringify(error), counterpart.token);
  const message = `GitLab at ${counterpart.baseUrl} refused a GraphQL query${quote === null ? '.' : `: "${quote}".`}`;
  return new RepotideError('invalid', 'source_query_refused', message);
}

function unknownPath({ counterpart }: GitLabHttp): RepotideError {
  const message = `GraphQL of GitLab at ${counterpart.baseUrl} shows no repository under the project's path.`;
  return new RepotideError('not_found', 'source_not_found', message);
}
