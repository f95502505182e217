import { type Variable, variableEntries } from '@platform/config';
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Settings that the templates or Kubernetes set, because they differ between pods or must match the pod spec. */
export const OWNED_BY_THE_CHART = [...['REPOTIDE_ROLES', 'REPOTIDE_DATA_DIR', 'POD_NAME', 'POD_NAMESPACE']];

const settings = variableEntries.filter(([name]) => !OWNED_BY_THE_CHART.includes(name));

/** `config`: settings that are not secret. */
export function plainSettings(): JsonSchema {
  return objectOf(
    [
      ...settings
        .filter(([, { isSecret }]) => !isSecret)
        .map(([name, v]) => [name, schemaOf(name, v)] as const),
      ...OPEN_TELEMETRY_SECRETS.map((name) => [name, { not: {} }] as const),
      ['resources', DECLARED],
    ],
    OPEN_TELEMETRY,
  );
}

/** `secrets.values`: secret settings, as text. */
export function secretSettings(): JsonSchema {
  return objectOf([
    ...settings.filter(([, { isSecret }]) => isSecret).map(([name, v]) => [name, schemaOf(name, v)] as const),
    ...OPEN_TELEMETRY_SECRETS.map((name) => [name, { type: 'string' }] as const),
  ]);
}

/** `secrets.from`: any setting, as a key of a Secret. */
export function referencedSettings(): JsonSchema {
  const source = { ...objectOf([['name', NAME], ['key', NAME]]), required: ['name', 'key'] }; // prettier-ignore
  return objectOf(
    settings.map(([name, { description }]) => [name, { description, ...source }]),
    { '^OTEL_[A-Z0-9_]+$': source },
  );
}

const objects = { type: 'array', items: { type: 'object' } };
/** The program checks the fields, and says which line is wrong. */
const DECLARED: JsonSchema = {
  description: 'Resources that the leader creates and changes, in the format of `repotide apply`.',
  ...objectOf([
    ['credentials', objects],
    ['repositories', objects],
    ['discoveries', objects],
  ]),
};

const NAME = { type: 'string', minLength: 1, maxLength: 253 };

/** OpenTelemetry's SDK reads its own variables, so the chart passes them on unchecked. */
const OPEN_TELEMETRY = { '^OTEL_[A-Z0-9_]+$': { type: 'string' } };
/** These variables contain the receiver's key, so they are not allowed in the ConfigMap. */
const OPEN_TELEMETRY_SECRETS = ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'];

function objectOf(properties: (readonly [string, JsonSchema])[], patternProperties = {}): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(properties),
    patternProperties,
  };
}

function schemaOf(name: string, variable: Variable): JsonSchema {
  const { description, default: value } = variable;
  // A random port or a privileged one would match neither the Service nor the security context.
  const narrower = ['PORT', 'METRICS_PORT'].includes(name) ? { minimum: 1024 } : {};
  return {
    description,
    ...typeOf(variable),
    ...narrower,
    ...(value === undefined ? {} : { default: Array.isArray(value) ? value.join(',') : value }),
  };
}

function typeOf({ schema, expected }: Variable): JsonSchema {
  const { type, minimum, maximum } = z.toJSONSchema(schema, { unrepresentable: 'any' });
  if (type === 'integer') return { type, minimum, maximum };
  const { pattern } = z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' });
  if (pattern !== undefined) return { type: 'string', pattern };
  const options = /^one of (.*)$/.exec(expected)?.[1]?.split(', ');
  if (options?.every((option) => schema.safeParse(option).success)) return { type: 'string', enum: options };
  if (expected.startsWith('a JSON object')) return { type: 'string', pattern: '^\\s*\\{[\\s\\S]*\\}\\s*$' };
  const protocols = [...expected.matchAll(/\b([a-z]+(?:\+[a-z]+)?):\/\//g)].map(([, protocol]) =>
    protocol!.replace('+', '\\+'),
  );
  if (protocols.length > 0) return { type: 'string', pattern: `^(${protocols.join('|')})://\\S+$` };
  throw new Error(`"${expected}" has no counterpart in JSON Schema yet.`);
}
