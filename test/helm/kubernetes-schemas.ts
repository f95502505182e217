import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { customResources } from './custom-resource-schemas.js';
import { type Manifest } from './manifest.js';

interface Definition {
  type?: string;
  properties?: Record<string, unknown>;
  'x-kubernetes-group-version-kind'?: { group: string; version: string; kind: string }[];
}

const file = new URL('./fixtures/kubernetes-openapi.json', import.meta.url);
const { definitions } = JSON.parse(readFileSync(file, 'utf8')) as { definitions: Record<string, Definition> };

const ajv = new Ajv({ strict: false, validateFormats: false, allErrors: true });
ajv.addSchema({ $id: 'kubernetes', definitions: mapValues(definitions, makeStrict) });

/** The errors that the API server in strict mode would report for an object; an unknown kind is an error too. */
export function problemsOf(manifest: Manifest): string[] {
  const validate = validatorOf(manifest);
  if (validate === null) return [`${manifest.apiVersion} ${manifest.kind}: unknown kind`];
  const isValid: boolean = validate(manifest);
  if (isValid) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) => {
    const where = `${manifest.kind} ${manifest.metadata.name}${instancePath}`;
    return `${where}: ${message ?? ''} ${JSON.stringify(params)}`;
  });
}

function validatorOf({ apiVersion, kind }: Manifest): ValidateFunction | null {
  const custom = customResources[`${apiVersion} ${kind}`];
  if (custom !== undefined) return ajv.compile(custom);
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const found = Object.entries(definitions).find(([, definition]) =>
    definition['x-kubernetes-group-version-kind']?.some(
      (known) => known.group === group && known.version === version && known.kind === kind,
    ),
  );
  return found === undefined ? null : (ajv.getSchema(`kubernetes#/definitions/${found[0]}`) ?? null);
}

/** Corrects the published description, which allows unknown fields and types every IntOrString and Quantity as a string. */
function makeStrict(definition: Definition, name: string): object {
  if (name.endsWith('.IntOrString')) return { type: ['integer', 'string'] };
  if (name.endsWith('.Quantity')) return { type: ['integer', 'string'], pattern: '^[0-9.]+(m|k|[KMGT]i?)?$' };
  return definition.properties === undefined ? definition : { ...definition, additionalProperties: false };
}

function mapValues<T, R>(record: Record<string, T>, change: (value: T, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
}
