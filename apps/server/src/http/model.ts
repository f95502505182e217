import { z } from 'zod';
import { shownPath } from '@core/chunking';
import { count } from './fields.js';

/**
 * The schema of a body or an answer. The API document, the validation, the types (`z.output`) and {@link present} all
 * derive from it. Unknown fields are refused, because a misspelt one would silently have no effect.
 * @param id the name of the component in the API document.
 */
export function model<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return object(shape).meta({ id });
}

const object = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape, { error: 'must be an object' });

/** Like {@link model}, for an edit: all fields are optional, and one must be given. */
export function changes<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return object(shape).meta({ id, minProperties: 1 });
}

/** Like {@link model}, for a body that must have exactly one of these optional fields. */
export function exactlyOne<Shape extends z.ZodRawShape>(
  id: string,
  shape: Shape,
  [one, ...others]: readonly [keyof Shape & string, ...(keyof Shape & string)[]],
) {
  const names = [one, ...others];
  const isOneGiven = (body: object): boolean => {
    const values = body as Readonly<Record<string, unknown>>;
    return names.filter((name) => values[name] !== undefined).length === 1;
  };
  return object(shape)
    .refine(isOneGiven, {
      error: `or ${others.join(' or ')} must be given, and only one of them`,
      path: [one],
      // Runs even if other fields are invalid, so that one answer lists all errors.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .meta({ id, oneOf: names.map((name) => ({ required: [name] })) });
}

/** The schema of query parameters. Unknown ones are refused. */
export function query<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape);
}

/** `last_sync_at` -> `lastSyncAt` */
type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type CamelKeys<T> = { [Key in keyof T as CamelCase<Key> & string]: T[Key] };

/** What {@link present} converts to an answer: the same values, under the property names of the domain. */
export type RowOf<Schema> =
  Schema extends z.ZodNullable<infer Inner>
    ? RowOf<Inner> | null
    : Schema extends z.ZodOptional<infer Inner>
      ? RowOf<Inner> | undefined
      : Schema extends z.ZodArray<infer Item>
        ? readonly RowOf<Item>[]
        : Schema extends { shape: infer Shape extends z.ZodRawShape }
          ? CamelKeys<{ [Name in keyof Shape]: RowOf<Shape[Name]> }>
          : Schema extends z.ZodType
            ? z.output<Schema>
            : void;

/** Converts a row and the rows in it to an answer. The property `lastSyncAt` becomes the field `last_sync_at`. */
export function present<Schema extends z.ZodType>(schema: Schema, row: RowOf<Schema>): z.output<Schema> {
  return presented(schema, row) as z.output<Schema>;
}

function presented(schema: z.core.$ZodType, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional)
    return presented(schema.unwrap(), value);
  if (schema instanceof z.ZodArray)
    return (value as readonly unknown[]).map((item) => presented(schema.element, item));
  if (!(schema instanceof z.ZodObject)) return value;
  const row = value as Readonly<Record<string, unknown>>;
  const fields = Object.entries<z.ZodType>(schema.shape);
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const member = presented(field, row[camelCase(name)]);
      return [name, PATHS.has(name) ? withoutSecrets(member) : member];
    }),
  );
}

/** Fields with paths of files. People name files after tokens, so no path is shown with one. */
const PATHS: ReadonlySet<string> = new Set(['path', 'parent_path', 'current_file', 'first_paths']);

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  return typeof value === 'string' ? shownPath(value) : value;
}

/** What a handler gets of a request that the schema accepts: the values, under the property names of the domain. */
export type Given<Schema extends z.ZodType> = CamelKeys<z.output<Schema>>;

/** Converts a request to the names of the domain. An absent field stays absent, which means "do not change it". */
export function fieldsOf<Body extends object>(body: Body): CamelKeys<Body> {
  const given = Object.entries(body).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [camelCase(name), value])) as CamelKeys<Body>;
}

/** `lastSyncAt` -> `last_sync_at` */
export type SnakeCase<Name extends string> = Name extends `${infer Head}${infer Tail}`
  ? `${Head extends Lowercase<Head> ? '' : '_'}${Lowercase<Head>}${SnakeCase<Tail>}`
  : Name;

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The names of schemas are few, and each row of an answer needs them all. */
const camelNames = new Map<string, string>();

function camelCase(name: string): string {
  const known = camelNames.get(name);
  if (known !== undefined) return known;
  const made = name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
  camelNames.set(name, made);
  return made;
}

/** The schema of a list answer: `{"items": [...], "total": n}`. */
export function listOf<Item extends z.ZodObject>(item: Item) {
  return model(String(item.meta()?.id).replace(/Dto$/, 'ListDto'), {
    items: z.array(item),
    total: count('How many match, on all pages.', 1),
  });
}
