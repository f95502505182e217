import fc from 'fast-check';
import { jsonOf, scalarOf, type Schema } from './fuzz/hostile-json.js';
import { type Operation } from './operations.js';
import { type MarkedRepository } from './scope-world.js';

export interface Call {
  method: string;
  path: string;
  body?: string;
}

/** Status, headers and body; of a stream what comes first. */
export async function answerTo(
  url: string,
  { method, path, body }: Call,
  token: string,
): Promise<{ status: number; all: string }> {
  const headers = {
    Authorization: `Bearer ${token}`,
    'Content-Type': 'application/json',
    // Agents accept both; other callers accept everything.
    ...(path === '/mcp' && { Accept: 'application/json, text/event-stream' }),
  };
  const response = await fetch(url + path, {
    method,
    headers,
    ...(body !== undefined && method !== 'GET' && { body }),
  });
  const head = JSON.stringify([...response.headers]);
  if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
    return { status: response.status, all: head + (await response.text()) };
  let text = '';
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(part);
    // Leaving the loop closes the stream.
    if (text.includes('data:')) break;
  }
  return { status: response.status, all: head + text };
}

/** Requests without hostile values: they must get as far as the data. */
export function requestTo(
  operation: Operation,
  repositories: readonly MarkedRepository[],
  schemas: Record<string, object>,
): fc.Arbitrary<Call> {
  const ids = repositories.flatMap((repository) => repository.ids);
  const values = { ids, schemas };
  const { template, parameters = [], method, requestBody } = operation;
  const segments = template.split('/').map((segment) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) return fc.constant(segment);
    if (name === 'name') return fc.constantFrom(...repositories.map((each) => each.collectionName));
    return fc.constantFrom(...ids);
  });
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && parameter.name !== 'offset')
    .map(({ name, schema = {}, required }) => {
      const element = (schema as Schema).items ?? schema;
      const pair = scalarOf(element, values).map((value) => `${name}=${encodeURIComponent(String(value))}`);
      return required ? pair : fc.option(pair, { freq: 1, nil: '' });
    });
  const schema = requestBody && (Object.values(requestBody.content)[0]?.schema as Schema);
  const body = schema ? jsonOf(schema, values) : fc.constant(undefined);
  return fc.tuple(fc.tuple(...segments), fc.tuple(...query), body).map(([path, pairs, text]) => ({
    method,
    path: `${path.join('/')}?${pairs.filter((pair) => pair !== '').join('&')}`,
    ...(text !== undefined && { body: text }),
  }));
}

/** Calls of the tools of agents, with repositories of any group. */
export function toolCallTo(repositories: readonly MarkedRepository[]): fc.Arbitrary<Call> {
  const repository = fc.constantFrom(...repositories).map(({ projectPath }) => projectPath);
  const query = fc.constantFrom('value', 'example of a value', ...repositories.map(({ marker }) => marker));
  const tools = fc.oneof(
    fc.record({ name: fc.constant('list_repositories'), arguments: fc.constant({}) }),
    fc.record({ name: fc.constant('repository_status'), arguments: fc.record({ repository }) }),
    fc.record({
      name: fc.constant('read_file'),
      arguments: fc.record({ repository, path: fc.constantFrom('src/a.ts', 'a.txt', 'README.md') }),
    }),
    fc.record({
      name: fc.constantFrom('search_code', 'find_definition'),
      arguments: fc.record(
        { query, name: query, repository, mode: fc.constantFrom('hybrid', 'exact') },
        { requiredKeys: ['query', 'name'] },
      ),
    }),
  );
  return tools.map((params) => ({
    method: 'POST',
    path: '/mcp',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  }));
}

/** What an answer holds of repositories outside of the scope, except what the request itself named. */
export function leaksIn(
  all: string,
  outside: readonly MarkedRepository[],
  { path, body = '' }: Call,
): string[] {
  const sent = decodeURIComponent(path) + body;
  const secrets = outside.flatMap(({ marker, ids, collectionName }) => [marker, collectionName, ...ids]);
  return secrets.filter((secret) => all.includes(secret) && !sent.includes(secret));
}
