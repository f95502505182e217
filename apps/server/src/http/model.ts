import { z } from 'zod';
import { type Page } from '@core/domain';
import { count } from './fields.js';

/**
 * A body or an answer: the one definition of its fields, which the API document, the validation, the types
 * (`z.output`) and {@link present} follow. A body with other fields is refused, since a misspelt one would silently
 * have no effect.
 * @param id name of the component in the API document.
 */
export function model<Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.strictObject(shape, { error: 'must be an object' }).meta({ id });
}

/** As {@link model}, of a body that has exactly one of two optional fields. */
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
      // Also beside other mistakes, so that one answer names them all.
      when: ({ value }) => typeof value === 'object' && value !== null,
    })
    .meta({ id });
}

/** The parameters of a query; other ones are refused. */
export function query<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape);
}

/** `last_sync_at` -> `lastSyncAt` */
type CamelCase<Name> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;
type CamelKeys<T> = { [Key in keyof T as CamelCase<Key> & string]: T[Key] };

/**
 * The answer that shows a row: each field holds the property of the same name, `last_sync_at` that of `lastSyncAt`.
 * @param own fields that are computed, or named otherwise.
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

/** The fields that a request gives, named as in the domain. One that is absent stays absent: "leave it as it is". */
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

/** A list answer: `{"items": [...], "total": n}`. */
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

/** The list answer that shows a page of rows; see {@link present}. */
export function presentPage<M extends z.ZodObject>(
  model: M,
  { items, total }: Page<CamelKeys<z.output<M>>>,
): ListDto<z.output<M>> {
  return { items: items.map((row) => present(model, row as never)), total };
}
