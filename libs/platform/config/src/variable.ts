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

interface VariableOptions<T> {
  description: string;
  default?: T;
  defaultNote?: string;
  secret?: boolean;
  example?: string;
}

/** The variable always has a value if its options have a default. */
type VariableOf<T extends Plain, O> = O extends { default: T } ? WithDefault<T> : Variable<T>;

function variable<T extends Plain, O extends VariableOptions<T>>(
  schema: z.ZodType<T>,
  expected: string,
  options: O,
): VariableOf<T, O> {
  const { secret = false, default: value, ...rest } = options;
  return { ...rest, default: value, schema, expected, isSecret: secret } as unknown as VariableOf<T, O>;
}

export function text<O extends VariableOptions<string>>(pattern: RegExp, expected: string, options: O) {
  return variable<string, O>(z.string().regex(pattern), expected, options);
}

/** Accepts only whole numbers; refuses `5x`, `1e3` and `5.0`. */
export function integer<O extends VariableOptions<number>>(min: number, max: number, options: O) {
  const schema = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(min).max(max));
  return variable<number, O>(schema, `a whole number from ${min} to ${max}`, options);
}

/** A number that is not negative, written with digits and at most one point. */
export function choice<const T extends string, O extends VariableOptions<T>>(
  values: readonly T[],
  options: O,
) {
  return variable<T, O>(memberOf(values), `one of ${values.join(', ')}`, options);
}

/** Comma-separated members of a fixed set, at least one; repeated ones count once. */
export function setOf<const T extends string, O extends VariableOptions<readonly T[]>>(
  values: readonly T[],
  options: O,
) {
  const schema = commaSeparated(memberOf(values));
  return variable<readonly T[], O>(schema, `a comma-separated list of ${values.join(', ')}`, options);
}

/** @param problemOf says what is wrong with the text; null: nothing. */
export function checkedText<O extends VariableOptions<string>>(
  problemOf: (text: string) => string | null,
  expected: string,
  options: O,
) {
  const schema = z.string().superRefine((value, context) => {
    const detail = problemOf(value);
    if (detail !== null) context.addIssue({ code: 'custom', params: { detail } });
  });
  return variable<string, O>(schema, expected, options);
}

/** The base URL of an HTTP service, without credentials, which have separate variables, and without API paths. */
export function httpUrl<O extends VariableOptions<string>>(options: O) {
  const schema = z
    .string()
    .refine(isBareHttpUrl)
    .transform((url) => url.replace(/\/+$/, ''));
  const expected = 'an http:// or https:// URL without user, password, query and fragment';
  return variable<string, O>(schema, expected, options);
}

export function connectionUrl<O extends VariableOptions<string>>(protocols: readonly string[], options: O) {
  return variable<string, O>(urlWith(protocols), `a URL that begins with ${beginnings(protocols)}`, options);
}

/** Sentinels are separated by commas; the rest is like other URLs. */
const SENTINELS =
  /^rediss?\+sentinel:\/\/(?:[^@/?#]*@)?[^,@/?#]+(?:,[^,@/?#]+)*\/[\w.-]+(?:\/\d+)?(?:\?[^#]*)?$/;

/** Redis servers, or the Sentinels of one. */
export function redisUrls<O extends VariableOptions<readonly string[]>>(options: O) {
  const servers = commaSeparated(urlWith(['redis:', 'rediss:']));
  const sentinels = z
    .string()
    .regex(SENTINELS)
    .transform((url): string[] => [url]);
  const expected =
    'one or more comma-separated URLs that begin with redis:// or rediss://, or redis+sentinel://host:port,host:port/master-name (rediss+sentinel:// with TLS)';
  return variable<readonly string[], O>(z.union([sentinels, servers]), expected, options);
}

function urlWith(protocols: readonly string[]) {
  return z.string().refine((value) => hasProtocol(value, protocols));
}

function beginnings(protocols: readonly string[]): string {
  return protocols.map((protocol) => `${protocol}//`).join(' or ');
}

/** Comma-separated hosts: names, `*.` names, addresses, networks, the word `public`; each with scheme and port if needed. */
export function hosts<O extends VariableOptions<readonly string[]>>(options: O) {
  const schema = commaSeparated(z.string().refine(isServer), z.string().regex(/^[\w.:*/, [\]-]+$/));
  const expected =
    'a comma-separated list of host names, *.example.com, IP addresses, networks such as 10.1.0.0/16, and "public", each with http:// before it and :<port> after it if needed';
  return variable<readonly string[], O>(schema, expected, options);
}

/** Comma-separated IP addresses and networks. */
export function networks<O extends VariableOptions<readonly string[]>>(options: O) {
  const member = z
    .string()
    .refine((entry) => isIP(entry.split('/', 1)[0] ?? '') !== 0 && isHostOrNetwork(entry));
  const expected = 'a comma-separated list of IP addresses, and networks such as 10.1.0.0/16';
  const schema = commaSeparated(member, z.string().regex(/^[\da-fA-F.:/, ]+$/));
  return variable<readonly string[], O>(schema, expected, options);
}

/** A secret that protects the service: at least this long, and not easy to guess. */
export function strongSecret<O extends VariableOptions<string>>(options: O) {
  const schema = z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/)
    .refine((secret) => guessBits(secret) >= 48);
  const expected =
    'at least 16 printable characters without spaces that are hard to guess, such as the output of `openssl rand -hex 16`';
  return variable<string, O>(schema, expected, options);
}

/**
 * Estimates how hard a text is to guess, in bits. Characters that follow from the text before count nothing: a repeated
 * character, a sequence such as 1234, a repeated word.
 */
function guessBits(secret: string): number {
  const pairs = new Set<string>();
  let surprises = 1;
  for (let index = 1; index < secret.length; index += 1) {
    const pair = secret.slice(index - 1, index + 1);
    const step = Math.abs(pair.charCodeAt(1) - pair.charCodeAt(0));
    if (step > 1 && !pairs.has(pair)) surprises += 1;
    pairs.add(pair);
  }
  return surprises * Math.log2(new Set(secret).size);
}

function isServer(entry: string): boolean {
  const bare = entry.replace(/^https?:\/\//, '');
  if (isHostOrNetwork(bare)) return true;
  const [, host = '', port = ''] = /^(.*):(\d{1,5}|\*)$/.exec(bare) ?? [];
  const bracketed = /^\[(.*)\]$/.exec(host)?.[1];
  if (port !== '*' && Number(port) > 65_535) return false;
  return bracketed === undefined ? !host.includes(':') && isHostOrNetwork(host) : isIP(bracketed) === 6;
}

function isHostOrNetwork(entry: string): boolean {
  const [address = '', prefix, ...more] = entry.split('/');
  const version = isIP(address);
  if (version === 0) return /^(\*\.)?[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(entry) && !/^[\d.]+$/.test(entry);
  if (prefix === undefined) return true;
  return more.length === 0 && /^\d{1,3}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128);
}

function memberOf<T extends string>(values: readonly T[]): z.ZodType<T, string> {
  return z.custom<T>((value) => values.some((option) => option === value));
}

function commaSeparated<T extends string>(
  member: z.ZodType<T, string>,
  text: z.ZodType<string, string> = z.string(),
): z.ZodType<readonly T[]> {
  return text.transform(splitList).pipe(z.array(member).min(1));
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
