import { type Answer, jsonAnswer } from '../http/answer.js';
import { type GraphqlContext, MAX_PAGE_SIZE, type GraphqlObject, queryType } from './graphql-schema.js';
import { type GraphqlField, GraphqlProblem, parseQuery } from './graphql-syntax.js';

/** Source: GitLab's GraphQL limits. */
const MAX_QUERY_CHARACTERS = 10_000;

interface GraphqlRequest {
  query: string;
  variables: Readonly<Record<string, unknown>>;
}

/** POST /api/graphql: reports all errors of the query in `errors` with HTTP 200. */
export async function answerGraphql(body: Buffer, context: GraphqlContext): Promise<Answer> {
  try {
    const { query, variables } = readRequest(body);
    const fields = parseQuery(query, variables);
    checkComplexity(fields, context);
    return jsonAnswer(200, { data: await resolve(queryType(context), fields) });
  } catch (error) {
    if (!(error instanceof GraphqlProblem)) throw error;
    const { message, extensions } = error;
    return jsonAnswer(200, { errors: [{ message, ...(extensions === undefined ? {} : { extensions }) }] });
  }
}

function readRequest(body: Buffer): GraphqlRequest {
  const { query, variables } = parseJson(body);
  if (typeof query !== 'string') throw new GraphqlProblem('No query string was present');
  if (query.length > MAX_QUERY_CHARACTERS) throw new GraphqlProblem('Query too large');
  return { query, variables: (variables ?? {}) as GraphqlRequest['variables'] };
}

function parseJson(body: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(body.toString()) as Record<string, unknown>;
  } catch {
    throw new GraphqlProblem('The request body is not JSON');
  }
}

function checkComplexity(fields: readonly GraphqlField[], { caller, settings }: GraphqlContext): void {
  const { maxComplexity, maxComplexityAnonymous } = settings.graphql;
  const max = caller.name === null ? maxComplexityAnonymous : maxComplexity;
  const complexity = complexityOf(fields);
  if (complexity > max) {
    throw new GraphqlProblem(`Query has complexity of ${complexity}, which exceeds max complexity of ${max}`);
  }
}

/**
 * As GitLab counts: one for each field, and one more for one that reads from git. `blobs` adds one for its resolver and
 * one for each path, and as a connection a hundredth of its sum for each node of its page.
 * Sources: app/graphql/types/base_field.rb, app/graphql/resolvers/blobs_resolver.rb.
 */
function complexityOf(fields: readonly GraphqlField[]): number {
  return fields.reduce((sum, { name, args, selections }) => {
    const readsGit = ['rawBlob', 'rawTextBlob'].includes(name) ? 1 : 0;
    const children = complexityOf(selections);
    if (name !== 'blobs') return sum + 1 + readsGit + children;
    const paths = Array.isArray(args.paths) ? args.paths.length : 0;
    const page = Math.min(typeof args.first === 'number' ? args.first : MAX_PAGE_SIZE, MAX_PAGE_SIZE);
    return sum + Math.trunc((children + 2 + paths) * (1 + page / 100));
  }, 0);
}

async function resolve(object: GraphqlObject, fields: readonly GraphqlField[]): Promise<object> {
  const entries = await Promise.all(
    fields.map(async (field) => {
      const resolver = object.fields[field.name];
      if (resolver === undefined) throw undefinedField(object.typeName, field.name);
      return [field.key, await complete(await resolver(field.args, namesIn(field)), field)] as const;
    }),
  );
  return Object.fromEntries(entries);
}

/** Of a field and everything below it. */
function namesIn({ selections }: GraphqlField): string[] {
  return selections.flatMap((field) => [field.name, ...namesIn(field)]);
}

async function complete(value: unknown, field: GraphqlField): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => complete(item, field)));
  return isGraphqlObject(value) ? resolve(value, field.selections) : value;
}

function isGraphqlObject(value: unknown): value is GraphqlObject {
  return typeof value === 'object' && value !== null && 'typeName' in value;
}

function undefinedField(typeName: string, fieldName: string): GraphqlProblem {
  return new GraphqlProblem(`Field '${fieldName}' doesn't exist on type '${typeName}'`, {
    code: 'undefinedField',
    typeName,
    fieldName,
  });
}
