import fc, { type Arbitrary } from 'fast-check';
import { type Operation, type ParameterObject } from '../operations.js';
import { hostileText, jsonOf, scalarOf, type Schema, type World } from './hostile-json.js';

export interface HostileRequest {
  method: string;
  /** Path and query as they are sent. */
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
}

const HEADERS: readonly (readonly [string, string])[] = [
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json; charset=utf-7',
  ].map(contentType),
  ...[
    'application/json; charset=utf-16le',
    'application/json; charset="',
    'application/json;;;',
    '*/*',
    'x',
  ].map(contentType),
  ...['gzip', 'br', 'deflate', 'gzip, gzip', 'zstd', 'x', ''].map(
    (value) => ['Content-Encoding', value] as const,
  ),
  ...['"1"', '*', 'W/"1"', '"-1"', '"99999999999999999999"', '"1", "2"', '1', '"', '"\xff"'].map(
    (value) => ['If-Match', value] as const,
  ),
  ...['k', ' ', 'x'.repeat(255), 'x'.repeat(256), '\xe9', "';--"].map(
    (value) => ['Idempotency-Key', value] as const,
  ),
  ...['0', '-1', '99999999999999999999', 'x', '1-1', '0-0'].map((value) => ['Last-Event-ID', value] as const),
  ...([
    ['X-Request-Id', '"}\u00ff'],
    ['X-HTTP-Method-Override', 'DELETE'],
    ['Range', 'bytes=0-'],
    ['Accept', 'text/html'],
  ] as const),
  ...([
    ['X-Forwarded-For', "' OR 1=1"],
    ['Cookie', 'token=1'],
    ['Accept-Encoding', 'gzip;q=x'],
    ['If-None-Match', '*'],
  ] as const),
  ...([
    ['Host', 'evil.example.com'],
    ['Origin', 'https://evil.example.com'],
    ['Expect', '200-ok'],
    ['Upgrade', 'h2c'],
  ] as const),
];

function contentType(value: string): readonly [string, string] {
  return ['Content-Type', value];
}

/** Requests to one operation: mostly well-formed, so that they pass the first checks, with one or two hostile parts. */
export function hostileRequest(operation: Operation, world: World): Arbitrary<HostileRequest> {
  const body: Arbitrary<string | undefined> = operation.requestBody
    ? jsonOf(Object.values(operation.requestBody.content)[0]?.schema ?? {}, world)
    : fc.option(jsonOf({}, world), { freq: 20, nil: undefined });
  return fc
    .record({
      method: fc.oneof(
        { arbitrary: fc.constant(operation.method), weight: 20 },
        {
          arbitrary: fc.constantFrom(
            'PUT',
            'TRACE',
            'OPTIONS',
            'HEAD',
            'PROPFIND',
            'DELETE',
            'PATCH',
            'POST',
          ),
          weight: 1,
        },
      ),
      path: pathArbitrary(operation, world),
      query: queryArbitrary(operation, world),
      headers: fc.array(fc.constantFrom(...HEADERS), { maxLength: 1 }),
      body,
    })
    .map(({ method, path, query, headers, body: text }) => ({
      method,
      path: path + (query === '' ? '' : `?${query}`),
      headers: {
        ...(text !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': String(Buffer.byteLength(text)),
        }),
        ...Object.fromEntries(headers),
      },
      body: text,
    }));
}

function pathArbitrary({ template, parameters = [] }: Operation, world: World): Arbitrary<string> {
  const segments = template.split('/').map((segment) => {
    const name = /^\{(\w+)\}$/.exec(segment)?.[1];
    if (name === undefined) return fc.constant(segment);
    const schema = parameters.find((parameter) => parameter.name === name)?.schema ?? {};
    return fc.oneof(
      { arbitrary: scalarOf(schema, world).map((value) => escaped(String(value))), weight: 5 },
      { arbitrary: hostileText.map(escaped), weight: 2 },
      {
        arbitrary: fc.constantFrom(
          '%',
          '%zz',
          '%00',
          '..%2f..',
          '%2e%2e',
          '.',
          '..',
          ';',
          'a%0d%0ab',
          '%ff%fe',
          'x'.repeat(4_000),
        ),
        weight: 1,
      },
    );
  });
  return fc.tuple(...segments).map((all) => all.join('/'));
}

function queryArbitrary({ parameters = [] }: Operation, world: World): Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const strangers = [
    '__proto__[role]=admin',
    'constructor.prototype.x=1',
    'a[b][c]=d',
    '%',
    '%00=%00',
    'access_token=x',
    '&&==&',
  ];
  return fc
    .tuple(
      fc.tuple(...inQuery.map((parameter) => fc.option(pairOf(parameter, world), { freq: 2, nil: '' }))),
      fc.oneof(
        { arbitrary: fc.constant(''), weight: 6 },
        { arbitrary: fc.constantFrom(...strangers), weight: 1 },
      ),
    )
    .map(([own, stranger]) => [...own, stranger].filter((pair) => pair !== '').join('&'));
}

function pairOf({ name, schema = {} }: ParameterObject, world: World): Arbitrary<string> {
  const element = (schema as Schema).items ?? schema;
  const good = scalarOf(element, world).map((value) => escaped(String(value)));
  const bad = hostileText.map(escaped);
  return fc.oneof(
    { arbitrary: good.map((value) => `${name}=${value}`), weight: 4 },
    { arbitrary: bad.map((value) => `${name}=${value}`), weight: 3 },
    {
      arbitrary: fc.tuple(good, bad).map(([first, second]) => `${name}=${first}&${name}=${second}`),
      weight: 1,
    },
    { arbitrary: bad.map((value) => `${name}[]=${value}&${name}[__proto__]=1`), weight: 1 },
  );
}

/** Like `encodeURIComponent`, but a lone surrogate becomes an invalid byte, as a careless client would send it. */
function escaped(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd')).replaceAll('%EF%BF%BD', '%ED%A0%80');
}
