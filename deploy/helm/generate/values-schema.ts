import { parse } from 'yaml';
import { type JsonSchema, plainSettings, referencedSettings, secretSettings } from './settings-schema.js';
import { readComments, type ValueComment } from './values-comments.js';

type Values = Record<string, unknown>;

const stringMap = { type: 'object', additionalProperties: { type: 'string' } };
const objects = { type: 'array', items: { type: 'object' } };
const port = { type: 'integer', minimum: 1, maximum: 65535 };
const quantity = { type: ['string', 'integer'], pattern: '^[0-9.]+(m|k|Ki|M|Mi|G|Gi)?$', minimum: 0 };
const quantities = { type: 'object', additionalProperties: quantity };
const destination = strictObject({ to: objects, ports: { type: 'array', items: port } });

/** The schemas of the shape names after `@schema` in values.yaml. */
const shapes: Record<string, () => JsonSchema> = {
  object: () => ({ type: 'object' }),
  objects: () => objects,
  names: () => ({
    type: 'array',
    uniqueItems: true,
    items: { type: 'string', minLength: 1, maxLength: 253 },
  }),
  stringMap: () => stringMap,
  resources: () => strictObject({ requests: quantities, limits: quantities }),
  egress: () =>
    strictObject(
      Object.fromEntries(
        [
          'dns',
          'postgres',
          'redis',
          'qdrant',
          'gitlab',
          'embedding',
          'reranker',
          'oidc',
          'traces',
          'kubernetes',
        ].map((purpose) => [purpose, destination]),
      ),
    ),
  'settings:plain': plainSettings,
  'settings:secret': secretSettings,
  'settings:reference': referencedSettings,
};

/** Builds the JSON Schema of the chart's values from the comments of values.yaml, in the draft that Helm supports. */
export function renderSchema(yaml: string): JsonSchema {
  const comments = new Map(readComments(yaml).map((comment) => [comment.path, comment]));
  const root = schemaOfMap('', parse(yaml) as Values, comments);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart repotide',
    $comment: 'Generated from values.yaml by `npm run docs:chart`; do not edit.',
    ...root,
    // Helm adds `global` when the chart is a subchart.
    properties: { ...(root.properties as object), global: { type: 'object' } },
  };
}

function schemaOfMap(path: string, values: Values, comments: ReadonlyMap<string, ValueComment>): JsonSchema {
  const properties = Object.entries(values).map(([key, value]) => {
    const at = path === '' ? key : `${path}.${key}`;
    const comment = comments.get(at);
    if (comment?.description) return [key, schemaOfValue(comment.description, value, comment)] as const;
    if (!isMap(value)) throw new Error(`values.yaml: ${at} has no comment that begins with "--".`);
    return [key, schemaOfMap(at, value, comments)] as const;
  });
  return strictObject(Object.fromEntries(properties));
}

function schemaOfValue(description: string, value: unknown, { path, schema }: ValueComment): JsonSchema {
  if (schema === null && typeof value === 'object') {
    throw new Error(`values.yaml: ${path} is a collection and needs an @schema.`);
  }
  const type = Number.isInteger(value) ? 'integer' : typeof value;
  const shape = schema?.startsWith('{') ? (JSON.parse(schema) as JsonSchema) : shapeOf(path, schema);
  return { description, ...(typeof value === 'object' ? {} : { type }), ...shape, default: value };
}

function shapeOf(path: string, name: string | null): JsonSchema {
  if (name === null) return {};
  const shape = shapes[name];
  if (shape === undefined) throw new Error(`values.yaml: ${path} has an unknown @schema "${name}".`);
  return shape();
}

function strictObject(properties: Record<string, JsonSchema>): JsonSchema {
  return { type: 'object', additionalProperties: false, properties };
}

function isMap(value: unknown): value is Values {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length > 0
  );
}
