import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';

type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: Json }[];
  requestBody?: { content: { 'application/json': { schema: Json } } };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

interface Description {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

/** A request, matched with the operation that describes it. */
export interface DescribedOperation {
  operationId: string;
  pathParameters: Record<string, string>;
  /** Parsed query parameters, or their error. */
  parseQuery(query: URLSearchParams): { values: Record<string, unknown>; problem: string | null };
  problemOfBody(body: unknown): string | null;
  problemOfAnswer(status: number, body: unknown): string | null;
}

const SCHEMAS = 'qdrant';
const NUMBER_FORMATS = ['uint', 'uint8', 'uint16', 'uint32', 'uint64', 'int32', 'int64', 'float', 'double'];
const UUID = /^(urn:uuid:)?[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;

/** Qdrant's own API description, reduced to the supported operations; validates requests and answers. */
export class ApiDescription {
  // Optimising the validators takes longer than it saves.
  private readonly ajv = new Ajv({ strict: false, code: { optimize: false } });
  private readonly paths: Description['paths'];
  private readonly compiled = new Map<Json, ValidateFunction>();
  private static loaded: ApiDescription | null = null;

  /** Read and compiled once per process, because compiling the validators takes longer than starting a double. */
  static load(): ApiDescription {
    ApiDescription.loaded ??= new ApiDescription();
    return ApiDescription.loaded;
  }

  private constructor() {
    const file = new URL('./qdrant-openapi.json', import.meta.url);
    const description = toJsonSchema(JSON.parse(readFileSync(file, 'utf8'))) as Description;
    for (const format of NUMBER_FORMATS) this.ajv.addFormat(format, true);
    this.ajv.addFormat('date-time', true);
    this.ajv.addFormat('uuid', UUID);
    this.ajv.addSchema({ components: description.components }, SCHEMAS);
    this.paths = description.paths;
  }

  /** Null when no supported operation has this method and path. */
  find(method: string, path: string): DescribedOperation | null {
    for (const [template, methods] of Object.entries(this.paths)) {
      const pathParameters = matchPath(template, path);
      const operation = methods[method.toLowerCase()];
      if (pathParameters !== null && operation !== undefined) return this.describe(operation, pathParameters);
    }
    return null;
  }

  private describe(operation: Operation, pathParameters: Record<string, string>): DescribedOperation {
    const bodySchema = operation.requestBody?.content['application/json'].schema;
    return {
      operationId: operation.operationId,
      pathParameters,
      parseQuery: (query) => this.parseQuery(operation, query),
      problemOfBody: (body) => {
        if (bodySchema !== undefined) return this.problem(bodySchema, body);
        return body === undefined ? null : 'a body where none is described';
      },
      problemOfAnswer: (status, body) => this.problemOfAnswer(operation, status, body),
    };
  }

  private parseQuery(
    operation: Operation,
    query: URLSearchParams,
  ): { values: Record<string, unknown>; problem: string | null } {
    const described = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const values: Record<string, unknown> = {};
    for (const [name, text] of query) {
      const parameter = described.find((candidate) => candidate.name === name);
      if (parameter === undefined) return { values, problem: `unknown query parameter ${name}` };
      const value = /^(true|false|\d+)$/.test(text) ? (JSON.parse(text) as unknown) : text;
      const problem = this.problem(parameter.schema, value);
      if (problem !== null) return { values, problem: `query parameter ${name}: ${problem}` };
      values[name] = value;
    }
    return { values, problem: null };
  }

  private problemOfAnswer(operation: Operation, status: number, body: unknown): string | null {
    const family = status >= 400 && status < 500 ? '4XX' : 'default';
    const response = operation.responses[String(status)] ?? operation.responses[family];
    const content = Object.values(response?.content ?? {})[0];
    return content === undefined ? null : this.problem(content.schema, body);
  }

  private problem(schema: Json, value: unknown): string | null {
    let validate = this.compiled.get(schema);
    if (validate === undefined) {
      validate = this.ajv.compile(schema);
      this.compiled.set(schema, validate);
    }
    if (validate(value)) return null;
    const [first] = validate.errors ?? [];
    return `${first?.instancePath ?? ''} ${first?.message ?? 'is invalid'}`.trim();
  }
}

function matchPath(template: string, path: string): Record<string, string> | null {
  const expected = template.split('/');
  const found = path.split('/');
  if (expected.length !== found.length) return null;
  const parameters: Record<string, string> = {};
  for (const [position, part] of expected.entries()) {
    const value = found[position] ?? '';
    if (!part.startsWith('{')) {
      if (part !== value) return null;
    } else {
      parameters[part.slice(1, -1)] = decodeURIComponent(value);
    }
  }
  return parameters;
}

/** Converts OpenAPI 3.0's `nullable` to JSON Schema's type null, and moves references into the common schema. */
function toJsonSchema(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(toJsonSchema);
  if (typeof node !== 'object' || node === null) return node;
  const { nullable, ...rest } = node as Json;
  const schema = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [
      key,
      key === '$ref' ? `${SCHEMAS}${String(value)}` : toJsonSchema(value),
    ]),
  );
  if (nullable !== true) return schema;
  return Object.keys(schema).length === 0 ? { type: 'null' } : { anyOf: [schema, { type: 'null' }] };
}
