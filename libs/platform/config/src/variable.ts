import { isIP } from 'node:net';
import { z } from 'zod';

/** The parsed value of a variable. */
export type Plain = string | number | readonly string[];

/** An environment variable, as used by the process, the reference and error messages. */
export interface Variable<T extends Plain = Plain> {
  /** Says what the variable does, in one or two sentences for an operator. */
  readonly description: string;
  /** Completes "expected ...". */
  readonly expected: string;
  /** Turns the trimmed, non-empty text into the value. */
  readonly schema: z.ZodType<T>;
  /** Undefined when the variable may be absent. */
  readonly default: T | undefined;
  /** For the reference, where the default is not a constant. */
  readonly defaultNote?: string;
  /** Its value is never shown in an error, a log or the reference. */
  readonly isSecret: boolean;
  readonly example?: string;
}

/** Undefined only where there is no default. */
export type ValueOf<V> =
  V extends WithDefault<infer T> ? T : V extends Variable<infer T> ? T | undefined : never;

/** A variable that always has a value. */
export interface WithDefault<T extends Plain> extends Variable<T> {
  readonly default: T;
}

interface Words {
  description: string;
  defaultNote?: string;
  secret?: boolean;
  example?: string;
}

function variable<T extends Plain>(
  schema: z.ZodType<T>,
  expected: string,
  words: Words & { default: T },
): WithDefault<T>;
function variable<T extends Plain>(
  schema: z.ZodType<T>,
  expected: string,
  words: Words & { default?: T },
): Variable<T>;
function variable<T extends Plain>(
  schema: z.ZodType<T>,
  expected: string,
  words: Words & { default?: T },
): Variable<T> {
  const { secret = false, default: value, ...rest } = words;
  return { ...rest, default: value, schema, expected, isSecret: secret };
}

export function text(
  pattern: RegExp,
  expected: string,
  words: Words & { default: string },
): WithDefault<string>;
export function text(pattern: RegExp, expected: string, words: Words): Variable<string>;
export function text(
  pattern: RegExp,
  expected: string,
  words: Words & { default?: string },
): Variable<string> {
  return variable(z.string().regex(pattern), expected, words);
}

/** Accepts only whole numbers; refuses `5x`, `1e3` and `5.0`. */
export function integer(min: number, max: number, words: Words & { default: number }): WithDefault<number>;
export function integer(min: number, max: number, words: Words): Variable<number>;
export function integer(min: number, max: number, words: Words & { default?: number }): Variable<number> {
  const schema = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));
  return variable(schema, `a whole number from ${min} to ${max}`, words);
}

/** A number that is not negative, written with digits and at most one point. */
export function decimal(words: Words): Variable<number> {
  const schema = z
    .string()
    .regex(/^\d{1,9}(\.\d{1,9})?$/)
    .transform(Number);
  return variable(schema, 'a number such as 0.02', words);
}

export function choice<const T extends string>(
  options: readonly T[],
  words: Words & { default: T },
): WithDefault<T>;
export function choice<const T extends string>(options: readonly T[], words: Words): Variable<T>;
export function choice<const T extends string>(
  options: readonly T[],
  words: Words & { default?: T },
): Variable<T> {
  return variable(memberOf(options), `one of ${options.join(', ')}`, words);
}

/** Comma-separated members of a fixed set, at least one; repeated ones count once. */
export function setOf<const T extends string>(
  options: readonly T[],
  words: Words & { default: readonly T[] },
): WithDefault<readonly T[]> {
  const schema = z
    .string()
    .transform(splitList)
    .pipe(z.array(memberOf(options)).min(1));
  return variable<readonly T[]>(schema, `a comma-separated list of ${options.join(', ')}`, words);
}

/** The base URL of an HTTP service, without credentials, which have separate variables, and without API paths. */
export function httpUrl(words: Words & { default: string }): WithDefault<string>;
export function httpUrl(words: Words): Variable<string>;
export function httpUrl(words: Words & { default?: string }): Variable<string> {
  const schema = z
    .string()
    .refine(isBareHttpUrl)
    .transform((url) => url.replace(/\/+$/, ''));
  return variable(schema, 'an http:// or https:// URL without user, password, query and fragment', words);
}

export function connectionUrl(protocols: readonly string[], words: Words): Variable<string> {
  const schema = z.string().refine((value) => hasProtocol(value, protocols));
  return variable(schema, `a URL that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`, words);
}

export function connectionUrls(protocols: readonly string[], words: Words): Variable<readonly string[]> {
  const url = z.string().refine((value) => hasProtocol(value, protocols));
  const schema = z.string().transform(splitList).pipe(z.array(url).min(1));
  const expected = `one or more comma-separated URLs that begin with ${protocols.map((p) => `${p}//`).join(' or ')}`;
  return variable<readonly string[]>(schema, expected, words);
}

/** Comma-separated hosts: names, `*.` names, addresses, networks, and the word `public`. */
export function hosts(words: Words & { default: readonly string[] }): WithDefault<readonly string[]> {
  const schema = z
    .string()
    .regex(/^[\w.:*/, -]+$/)
    .transform(splitList)
    .pipe(z.array(z.string().refine(isHostOrNetwork)).min(1));
  const expected =
    'a comma-separated list of host names, *.example.com, IP addresses, networks such as 10.1.0.0/16, and "public"';
  return variable<readonly string[]>(schema, expected, words);
}

function isHostOrNetwork(entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/');
  const version = isIP(address);
  if (version === 0) return /^(\*\.)?[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(entry) && !/^[\d.]+$/.test(entry);
  if (prefix === undefined) return true;
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

function memberOf<T extends string>(options: readonly T[]): z.ZodType<T, T> {
  return z.custom<T>((value) => options.some((option) => option === value));
}

function splitList(value: string): string[] {
  const members = value.split(',').map((member) => member.trim());
  return [...new Set(members.filter((member) => member !== ''))];
}

function hasProtocol(value: string, protocols: readonly string[]): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  return protocols.includes(url.protocol) && url.hostname !== '';
}

function isBareHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false;
  const url = new URL(value);
  if (!['http:', 'https:'].includes(url.protocol)) return false;
  return url.username === '' && url.password === '' && url.search === '' && url.hash === '';
}
