import { z } from 'zod';
import { type Page } from '@core/domain';
import { count } from './fields.js';

/**
 * The schema of a body or an answer. The API document, the validation, the types (`z.output`) and {@link present} all
 * derive from it. Unknown fields are refused, because a misspelt one would silently have no effect.
 * @param id the name of the component in the API document.
 */
export function model<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape, { error: 'must be an object' }).meta({ id });
}

/** Like {@link model}, for a body that must have exactly one of two optional fields. */
export function exactlyOne<Shape extends z.ZodRawShape>(
  id: string,
  shape: Shape,
  [one, other]: readonly [keyof Shape & string, keyof Shape & string],
) {
  const isOneGiven = (body: object): boolean => {
    const values = body as Readonly<Record<string, unknown>>;
    return (values[one] === undefined) !== (values[other] === undefined);
  };
  return z
    .strictObject(shape, { error: 'must be an object' })
    .refine(isOneGiven, {
      error: `or ${other} must be given, and not both`,
      path: [one],
      // Runs even if other fields are invalid, so that one answer lists all errors.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .meta({ id });
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

/**
 * Converts a row to an answer. The property `lastSyncAt` becomes the field `last_sync_at`.
 * @param own fields that are computed, or whose property has another name.
 */
export function present<M extends z.ZodObject, Own extends Partial<z.output<M>> = Record<never, never>>(
  { shape }: M,
  row: CamelKeys<Omit<z.output<M>, keyof Own>>,
  own?: Own,
): z.output<M> {
  const values = row as Readonly<Record<string, unknown>>;
  const read = Object.keys(shape).map((name) => [name, values[camelCase(name)]]);
  return { ...Object.fromEntries(read), ...own } as z.output<M>;
}

/** Converts a body to the names of the domain. An absent field stays absent, which means "do not change it". */
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

function camelCase(name: string): string {
  return name.replace(/_([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
}

/** The schema of a list answer: `{"items": [...], "total": n}`. */
export function listOf<Item extends z.ZodObject>(item: Item) {
  return model(String(item.meta()?.id).replace(/Dto$/, 'ListDto'), {
    items: z.array(item),
    total: count('How many match, on all pages.', { example: 1 }),
  });
}

export interface ListDto<Item> {
  items: Item[];
  total: number;
}

/** Converts a page of rows to a list answer; see {@link present}. */
export function presentPage<M extends z.ZodObject>(
  model: M,
  { items, total }: Page<CamelKeys<z.output<M>>>,
): ListDto<z.output<M>> {
  return { items: items.map((row) => present(model, row as never)), total };
}
