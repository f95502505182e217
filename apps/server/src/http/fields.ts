import { z } from 'zod';

/** Further members of a field's OpenAPI schema: `example`, `default`, `maxLength`, ... */
type Docs = Readonly<Record<string, unknown>>;
type Field<T> = z.ZodType<T>;

const UUID =
  /^([0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|0{8}(-0{4}){3}-0{12}|f{8}(-f{4}){3}-f{12})$/i;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * A field with its check and its OpenAPI schema.
 * @param expected the end of the error message, which begins with the name of the field.
 * @param read converts the value of a request before the check. It returns an unreadable value unchanged, so that the
 *   answer can show it.
 */
function field<T>(
  isValid: (value: unknown) => boolean,
  expected: string,
  docs: Docs,
  read?: (value: unknown) => unknown,
): Field<T> {
  // Does not abort, so that rules over several fields are checked too and one answer lists all errors.
  const checked = z.custom<T>(isValid, { error: expected, abort: false }).meta(docs);
  return read ? z.preprocess(read, checked) : checked;
}

/** A text in an answer; see {@link text} for requests. */
export function shown(description: string, example: string, docs: Docs = {}): Field<string> {
  return text(Infinity, description, { example, ...docs });
}

/** A text that Postgres can store: 1 to `maxLength` characters without NUL. */
export function text(maxLength: number, description: string, docs: Docs = {}): Field<string> {
  return field(
    (value) => isText(value, maxLength),
    `must be text of 1 to ${maxLength} characters without NUL`,
    {
      type: 'string',
      ...(maxLength < Infinity && { minLength: 1, maxLength, pattern: NO_NUL }),
      ...{ description, ...docs },
    },
  );
}

/** Like {@link text}; removes blanks at both ends. */
export function trimmedText(maxLength: number, description: string, docs: Docs = {}): Field<string> {
  const trim = (value: unknown): unknown => (typeof value === 'string' ? value.trim() : value);
  return z.preprocess(trim, text(maxLength, description, { pattern: NO_NUL_NOR_BLANK, ...docs }));
}

const NO_NUL = '^[^\\u0000]+$';
const NO_NUL_NOR_BLANK = '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$';

/** Counts characters like JSON Schema and Postgres: one beyond the basic plane is one, though a string has two units of it. */
function isText(value: unknown, maxLength: number): boolean {
  if (typeof value !== 'string' || value === '' || value.includes('\0')) return false;
  return value.length <= maxLength || (value.length <= 2 * maxLength && [...value].length <= maxLength);
}

/** A text that matches a pattern, and is not longer than the `maxLength` of its docs. */
export function matching(
  pattern: RegExp,
  expected: string,
  description: string,
  docs: Docs = {},
): Field<string> {
  const { maxLength = Infinity } = docs as { maxLength?: number };
  const isValid = (value: unknown): boolean => isText(value, maxLength) && pattern.test(value as string);
  return field(isValid, expected, { type: 'string', pattern: pattern.source, description, ...docs });
}

export function uuid(description: string, docs: Docs = {}): Field<string> {
  const example = '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11';
  return matching(UUID, 'must be a UUID', description, {
    format: 'uuid',
    pattern: undefined,
    example,
    ...docs,
  });
}

/** The SHA of a commit in an answer. */
export function commit(description: string): Field<string> {
  return shown(description, '8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d');
}

/** The SHA of an earlier commit, so that examples show two. */
export function formerCommit(description: string): Field<string> {
  return shown(description, '1f0e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c');
}

/** An instant, read as a `Date`. The offset is required, because a time without one depends on the server. */
export function instant(description: string, docs: Docs = {}): Field<Date> {
  return field(
    (value) => value instanceof Date,
    'must be an instant such as 2026-11-20T09:00:00Z or 2026-11-20T10:00:00+01:00',
    { type: 'string', format: 'date-time', description, example: '2026-11-20T09:00:00.000Z', ...docs },
    (value) => {
      // The `+` of an offset arrives as a blank if the client did not escape it.
      const given = typeof value === 'string' ? value.replace(' ', '+') : '';
      const date = INSTANT.test(given) ? new Date(given) : null;
      return date && !Number.isNaN(date.getTime()) ? date : value;
    },
  );
}

/** A count in an answer. */
export function count(description: string, example: number | null = 12, docs: Docs = {}): Field<number> {
  return wholeNumber(0, Infinity, description, { maximum: undefined, example, ...docs });
}

export function wholeNumber(min: number, max: number, description: string, docs: Docs = {}): Field<number> {
  return field(
    (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
    `must be a whole number from ${min} to ${max}`,
    { type: 'integer', minimum: min, maximum: max, description, ...docs },
  );
}

/** A number in an answer. */
export function decimal(description: string, example: number, docs: Docs = {}): Field<number> {
  return field((value) => typeof value === 'number', 'must be a number', {
    type: 'number',
    description,
    ...docs,
    example,
  });
}

/** A part of a whole. */
export function share(description: string, docs: Docs = {}): Field<number> {
  return field(
    (value) => typeof value === 'number' && value >= 0 && value <= 1,
    'must be a number from 0 to 1',
    { type: 'number', minimum: 0, maximum: 1, description, ...docs },
  );
}

/** @param docs of a request, or the example of an answer. */
export function flag(description: string, docs: Docs | boolean = {}): Field<boolean> {
  const given = typeof docs === 'boolean' ? { example: docs } : docs;
  const isValid = (value: unknown): boolean => typeof value === 'boolean';
  return field(isValid, 'must be true or false', { type: 'boolean', description, ...given });
}

/** One of a few words; the schema is inlined. */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  description: string,
  docs: Docs = {},
) {
  const error = `must be one of ${words.join(', ')}`;
  return z.enum(words, { error }).meta({ description, ...docs }) as Field<Word>;
}

const named = new Map<string, z.ZodType>();

/** Like {@link oneOf}; the schema is a component of the API document. */
export function namedOneOf<const Word extends string>(
  name: string,
  words: readonly Word[],
  description?: string,
  docs: Docs = {},
) {
  if (!named.has(name)) {
    named.set(name, z.enum(words, { error: `must be one of ${words.join(', ')}` }).meta({ id: name }));
  }
  const word = named.get(name) as Field<Word>;
  return description === undefined ? word : word.meta({ description, ...docs });
}

export interface ListLimits {
  min?: number;
  max?: number;
}

export function list<Item extends z.ZodType>(
  item: Item,
  description: string,
  { min = 0, max = Infinity, ...docs }: ListLimits & Docs = {},
) {
  const size = max === Infinity ? '' : ` of ${min} to ${max} values`;
  const error = `must be a list${size}`;
  let values = z.array(item, { error });
  if (min > 0) values = values.min(min, { error });
  if (max < Infinity) values = values.max(max, { error });
  return values.meta({ description, ...docs });
}

/** A query parameter that may be repeated or contain commas: `?status=failed,partial&status=cancelled`. */
export function queryList<T>(
  item: Field<T>,
  description: string,
  options: ListLimits & Docs = {},
): Field<T[]> {
  const split = (value: unknown): unknown =>
    [value].flat().flatMap((part) => (typeof part === 'string' ? part.split(',') : [part]));
  return z.preprocess(split, list(item, description, options));
}

/** A number in a query, which arrives as text. */
export function queryNumber(min: number, max: number, description: string, docs: Docs = {}): Field<number> {
  const read = (value: unknown): unknown =>
    typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return z.preprocess(read, wholeNumber(min, max, description, docs));
}

export function queryFlag(description: string, docs: Docs = {}): Field<boolean> {
  const read = (value: unknown): unknown => (value === 'true' ? true : value === 'false' ? false : value);
  return z.preprocess(read, flag(description, docs));
}

/** The items of a list of ids, which describes them. */
export const LISTED_ID = uuid('An id.', { example: undefined, description: undefined });
