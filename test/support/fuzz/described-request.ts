import fc, { type Arbitrary } from 'fast-check';
import { type Operation, type ParameterObject, pathOf } from '../operations.js';

/** The parts of OpenAPI's schemas that the document uses. */
interface Described {
  $ref?: string;
  type?: string;
  enum?: readonly unknown[];
  nullable?: boolean;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  items?: Described;
  properties?: Record<string, Described>;
  required?: readonly string[];
  allOf?: readonly Described[];
  oneOf?: readonly Described[];
}

/** What an API document allows: its components, and ids that exist. */
export interface Description {
  schemas: Record<string, object>;
  ids: readonly string[];
}

export interface DescribedRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const LONGEST_TEXT = 60;
const MOST_ITEMS = 4;

/** Requests that the API document allows, with all their limits reached at times. */
export function describedRequest(operation: Operation, known: Description): Arbitrary<DescribedRequest> {
  const { parameters = [], requestBody } = operation;
  const given = (place: string) =>
    givenParameters(
      parameters.filter(({ in: found }) => found === place),
      known,
    );
  const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
  return fc
    .record({
      path: given('path'),
      query: given('query'),
      headers: given('header'),
      body: schema ? allowed(schema, known).map((value) => JSON.stringify(value)) : fc.constant(undefined),
    })
    .map(({ path, query, headers, body }) => ({
      method: operation.method,
      path: pathOf(operation, (name) => String(path[name])) + queryOf(query),
      headers: {
        ...Object.fromEntries(
          // No header holds other characters.
          Object.entries(headers).map(([name, value]) => [name, String(value).replace(/[^\x21-\x7e]/g, 'x')]),
        ),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      body,
    }));
}

function givenParameters(
  parameters: readonly ParameterObject[],
  known: Description,
): Arbitrary<Record<string, unknown>> {
  const values = parameters.map(({ name, schema = {} }) => [name, allowed(schema, known)] as const);
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
  return fc.record(Object.fromEntries(values), { requiredKeys });
}

function queryOf(query: Record<string, unknown>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** Values that a schema allows. */
function allowed(schema: Described, known: Description): Arbitrary<unknown> {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return allowed(known.schemas[name] ?? {}, known);
  if (schema.nullable && !schema.enum)
    return fc.option(allowed({ ...schema, nullable: false }, known), { nil: null });
  if (schema.allOf) return allowed({ ...schema, allOf: undefined, ...schema.allOf[0] }, known);
  if (schema.properties) return allowedObject(schema, known);
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map((one) => allowed(one, known)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.items) return allowedList(schema, known);
  return allowedScalar(schema, known);
}

/** Of the alternatives of `oneOf`, which each require one property, exactly one is given. */
function allowedObject(schema: Described, known: Description): Arbitrary<unknown> {
  const { properties = {}, required = [], oneOf, minProperties = 0 } = schema;
  const alternatives = oneOf?.flatMap((one) => one.required ?? []) ?? [];
  const objectWith = (chosen: readonly string[]): Arbitrary<object> => {
    const names = Object.keys(properties).filter(
      (name) => !alternatives.includes(name) || chosen.includes(name),
    );
    const values = names.map((name) => [name, allowed(properties[name]!, known)]);
    return fc.record(Object.fromEntries(values) as Record<string, Arbitrary<unknown>>, {
      requiredKeys: [...required, ...chosen],
    });
  };
  const objects =
    alternatives.length === 0 ? objectWith([]) : fc.oneof(...alternatives.map((name) => objectWith([name])));
  return objects.filter((value) => Object.keys(value).length >= minProperties);
}

function allowedList({ items = {}, minItems = 0, maxItems = MOST_ITEMS }: Described, known: Description) {
  const maxLength = Math.max(minItems, Math.min(maxItems, MOST_ITEMS));
  return fc.array(allowed(items, known), { minLength: minItems, maxLength });
}

function allowedScalar(schema: Described, known: Description): Arbitrary<unknown> {
  const { type, minimum, maximum } = schema;
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer')
    return fc.integer({
      min: minimum ?? -1_000,
      max: Math.min(maximum ?? 1_000_000, Number.MAX_SAFE_INTEGER),
    });
  if (type === 'number') return fc.double({ min: minimum ?? -1_000, max: maximum ?? 1_000, noNaN: true });
  if (type === 'string') return allowedText(schema, known);
  return fc.constant({});
}

function allowedText(schema: Described, known: Description): Arbitrary<string> {
  const { format, pattern, minLength = 0, maxLength } = schema;
  if (format === 'uuid') return fc.oneof(fc.constantFrom(...known.ids), fc.uuid({ version: 4 }));
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, ...YEARS }).map((date) => date.toISOString());
  if (format === 'uri') return fc.constantFrom('https://gitlab.example.com', 'https://127.0.0.1:1/x');
  const isAllowed = (text: string): boolean =>
    (pattern === undefined || new RegExp(pattern).test(text)) &&
    [...text].length >= minLength &&
    (maxLength === undefined || [...text].length <= maxLength);
  const any = fc.string({
    unit: 'binary',
    minLength,
    maxLength: Math.min(maxLength ?? LONGEST_TEXT, LONGEST_TEXT),
  });
  const matching = pattern === undefined ? any : fc.stringMatching(new RegExp(pattern));
  const longest = ['a', '\u{1f4a9}']
    .map((letter) => letter.repeat(maxLength ?? LONGEST_TEXT))
    .filter(isAllowed);
  return fc.oneof(
    { arbitrary: matching.filter(isAllowed), weight: 8 },
    ...longest.map((text) => ({ arbitrary: fc.constant(text), weight: 1 })),
  );
}

const YEARS = { min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z') };
