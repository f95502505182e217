import { type Variable, variableEntries } from '@platform/config';
import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** Settings that the templates or Kubernetes itself set, because they differ from pod to pod or must fit the pod. */
export const OWNED_BY_THE_CHART = [
  ...['REPOTIDE_ROLES', 'REPOTIDE_DATA_DIR', 'POD_NAME', 'POD_NAMESPACE', 'POD_LABEL_SELECTOR'],
  ...['KUBERNETES_SERVICE_HOST', 'KUBERNETES_SERVICE_PORT', 'KUBERNETES_SERVICE_ACCOUNT_DIR'],
];

const settings = variableEntries.filter(([name]) => !OWNED_BY_THE_CHART.includes(name));

/** `config`: what is not secret. */
export function plainSettings(): JsonSchema {
  return objectOf(
    settings.filter(([, { isSecret }]) => !isSecret).map(([name, v]) => [name, schemaOf(name, v)]),
  );
}

/** `secrets.values`: what is secret, as text. */
export function secretSettings(): JsonSchema {
  return objectOf(
    settings.filter(([, { isSecret }]) => isSecret).map(([name, v]) => [name, schemaOf(name, v)]),
  );
}

/** `secrets.from`: any setting, as a key of a Secret. */
export function referencedSettings(): JsonSchema {
  const source = { ...objectOf([['name', NAME], ['key', NAME]]), required: ['name', 'key'] }; // prettier-ignore
  return objectOf(settings.map(([name, { description }]) => [name, { description, ...source }]));
}

const NAME = { type: 'string', minLength: 1, maxLength: 253 };

function objectOf(properties: (readonly [string, JsonSchema])[]): JsonSchema {
  return { type: 'object', additionalProperties: false, properties: Object.fromEntries(properties) };
}

function schemaOf(name: string, variable: Variable): JsonSchema {
  const { description, default: value } = variable;
  // A port of its own choice, or one for root, fits neither the Service nor the security context.
  const narrower = name === 'PORT' ? { minimum: 1024 } : {};
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
  const protocols = [...expected.matchAll(/\b([a-z]+):\/\//g)].map(([, protocol]) => protocol);
  if (protocols.length > 0) return { type: 'string', pattern: `^(${protocols.join('|')})://\\S+$` };
  throw new Error(`"${expected}" has no counterpart in JSON Schema yet.`);
}
