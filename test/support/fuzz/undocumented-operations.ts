import { type Operation } from '../operations.js';
import { type Schema } from './hostile-json.js';

const text = (...words: readonly string[]): Schema => ({ type: 'string', enum: [...words] });
const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties });

/** The arguments of all tools together: a tool ignores or refuses those of the others. */
const TOOL_ARGUMENTS = object({
  query: text('where is the answer', 'answer'),
  name: text('answer'),
  name_contains: text('project'),
  repository: text('group/project', 'group/project@main', 'found/project', 'hidden/project'),
  group: text('group', 'hidden'),
  path: text('src/main.ts', 'src', '.env'),
  path_prefix: text('src'),
  path_glob: text('**/*.ts'),
  language: text('typescript', 'ts'),
  kind: text('code', 'docs'),
  start_line: { type: 'integer', minimum: 1, maximum: 600 },
  end_line: { type: 'integer', minimum: 1, maximum: 600 },
  limit: { type: 'integer', minimum: 1, maximum: 20 },
  cursor: text('x'),
});

const MESSAGE = object({
  jsonrpc: text('2.0'),
  id: { type: 'integer' },
  method: text(
    'tools/call',
    'tools/call',
    'tools/call',
    'tools/list',
    'ping',
    'initialize',
    'resources/list',
  ),
  params: object({
    name: text('search_code', 'find_definition', 'read_file', 'list_repositories', 'repository_status'),
    arguments: TOOL_ARGUMENTS,
    protocolVersion: text('2025-06-18', '2025-03-26'),
    capabilities: object({}),
    clientInfo: object({ name: text('fuzz'), version: text('1') }),
  }),
});

const PUSH = object({
  object_kind: text('push', 'push', 'push', 'tag_push', 'merge_request'),
  ref: text('refs/heads/other', 'refs/heads/none', 'refs/tags/v1'),
  after: text('0'.repeat(40), 'a'.repeat(40)),
  project_id: { type: 'integer', minimum: 1, maximum: 9 },
  project: object({
    path_with_namespace: text('found/project', 'nobody/project'),
    web_url: text('https://gitlab.example.com/found/project'),
  }),
  commits: { type: 'array', items: object({ id: text('a'.repeat(40)), message: text('a message') }) },
});

/** What the API document does not describe: messages of agents, and events that GitLab has proved to be its own. */
export function undocumentedOperations(
  webhookSecret: string,
): { operation: Operation; headers: Record<string, string> }[] {
  const operation = (name: string, template: string, role: Operation['role'], schema: Schema): Operation => ({
    ...{ name, template, method: 'POST', role, isStream: false, operationId: name },
    requestBody: { content: { 'application/json': { schema } } },
    responses: {},
  });
  return [
    {
      operation: operation('messages of agents', '/mcp', 'viewer', MESSAGE),
      headers: { Accept: 'application/json, text/event-stream' },
    },
    {
      operation: operation('events of GitLab', '/webhooks/gitlab', null, PUSH),
      headers: { 'X-Gitlab-Token': webhookSecret },
    },
  ];
}
