import fc, { type Arbitrary } from 'fast-check';

/** Texts with a special meaning in SQL, paths, URLs, headers, globs, logs or objects. */
export const HOSTILE_TEXTS: readonly string[] = [
  ...[
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud800',
    'x\udfffx',
    '\ufeff',
    '\u202e',
    '\r\nX-Injected: 1',
    '\n',
    '\x1b[31m',
    '\x7f',
  ],
  ...[
    "'",
    "' OR 1=1 --",
    "'; DROP TABLE repositories; --",
    '%',
    '_',
    '\\',
    '$1',
    '${7*7}',
    '{{7*7}}',
    '%s%n',
    '$$',
  ],
  ...[
    '..',
    '../../etc/passwd',
    '..\\..\\x',
    '/',
    '//',
    '%00',
    '%2e%2e%2f',
    '%',
    '%zz',
    '%c0%ae',
    '.git/config',
  ],
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'null',
    'undefined',
    'NaN',
    'true',
  ],
  ...[
    '-1',
    '0',
    '1e999',
    '1e-7',
    '0x10',
    '9007199254740993',
    '99999999999999999999',
    '-9223372036854775809',
    '1,2',
  ],
  ...[
    'https://gitlab.example.com',
    'http://127.0.0.1:1',
    'file:///etc/passwd',
    'http://user:word@[::1]',
    'http://',
  ],
  ...[
    '2026-13-45T99:99:99Z',
    '+275760-09-13T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59.999999999Z',
  ],
  ...[
    '* * * * *',
    '*/0 * * * *',
    '0 0 31 2 *',
    '1-99999999 * * * *',
    '@yearly',
    'Europe/Berlin',
    '../UTC',
    '((((((((((',
  ],
  ...[
    '**/'.repeat(50),
    '{a,b}'.repeat(25),
    '[!'.repeat(30),
    '(a+)+$',
    '+(+(+(+(a))))',
    '!(!(!(a)))',
    'main',
    'group/project',
  ],
  ...['x'.repeat(300), 'é'.repeat(5_000), '\u{1f4a9}'.repeat(2_000), '00000000-0000-0000-0000-000000000000'],
];

const HOSTILE_NUMBERS: readonly string[] = [
  ...['0', '-0', '-1', '1', '1.5', '1e999', '-1e999', '1e-400', '2147483647', '2147483648', '-2147483649'],
  ...['9007199254740993', '9223372036854775808', '1'.repeat(400), '0.'.padEnd(400, '3')],
];

const KEYS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  '',
  'id',
  'role',
  '$where',
  'a.b',
];

/** Any character. `unit: 'binary'` gives the same, but lists a million characters first, which takes seconds. */
const character = fc
  .nat({ max: 0x10ffff - 0x800 })
  .map((point) => String.fromCodePoint(point < 0xd800 ? point : point + 0x800));

export const hostileText: Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom(...HOSTILE_TEXTS), weight: 4 },
  { arbitrary: fc.string({ unit: character, maxLength: 40 }), weight: 1 },
);

/** JSON as text, because JavaScript has no value for a repeated key, the number `1e999`, or a key `__proto__`. */
export const hostileJson: Arbitrary<string> = fc.oneof(
  { arbitrary: hostileText.map((text) => JSON.stringify(text)), weight: 6 },
  {
    arbitrary: fc.constantFrom(...HOSTILE_NUMBERS, 'true', 'false', 'null', '{}', '[]', '[[]]', '[null]'),
    weight: 5,
  },
  {
    arbitrary: fc.constantFrom(...KEYS).map((key) => `{${JSON.stringify(key)}: {"role": "admin"}}`),
    weight: 1,
  },
  { arbitrary: fc.array(hostileText, { maxLength: 5 }).map((texts) => JSON.stringify(texts)), weight: 1 },
  {
    arbitrary: fc.constantFrom(
      nested('[', ']', 3_000),
      nested('{"a":', '}', 3_000, '1'),
      '[1'.padEnd(9_000, ',1') + ']',
    ),
    weight: 1,
  },
);

function nested(open: string, close: string, depth: number, inside = ''): string {
  return open.repeat(depth) + inside + close.repeat(depth);
}

export interface Schema {
  $ref?: string;
  type?: string;
  enum?: unknown[];
  format?: string;
  minimum?: number;
  maximum?: number;
  example?: unknown;
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  allOf?: Schema[];
  oneOf?: Schema[];
}

/** Inputs for the values of a schema: the existing ids, and the schemas that it refers to. */
export interface World {
  ids: readonly string[];
  schemas: Record<string, object>;
}

/** JSON text that mostly follows the schema, so that it passes the first check, and has hostile values in places. */
export function jsonOf(schema: Schema, world: World, depth = 0): Arbitrary<string> {
  return fc.oneof(
    { arbitrary: followingJson(schema, world, depth), weight: depth === 0 ? 8 : 3 },
    { arbitrary: hostileJson, weight: 1 },
  );
}

function followingJson(schema: Schema, world: World, depth: number): Arbitrary<string> {
  const name = schema.$ref?.split('/').at(-1);
  if (name !== undefined) return followingJson(world.schemas[name] ?? {}, world, depth);
  const [first] = schema.allOf ?? schema.oneOf ?? [];
  if (first !== undefined) return followingJson(first, world, depth);
  if (schema.properties !== undefined) return objectJson(schema.properties, world, depth);
  if (schema.items !== undefined)
    return fc
      .array(jsonOf(schema.items, world, depth + 1), { maxLength: 4 })
      .map((items) => `[${items.join(',')}]`);
  return scalarOf(schema, world).map((value) => JSON.stringify(value) ?? 'null');
}

function objectJson(properties: Record<string, Schema>, world: World, depth: number): Arbitrary<string> {
  const members = Object.entries(properties).map(([key, property]) =>
    fc.option(
      jsonOf(property, world, depth + 1).map((value) => `${JSON.stringify(key)}:${value}`),
      { freq: 4, nil: '' },
    ),
  );
  const stranger = fc
    .tuple(fc.constantFrom(...KEYS), hostileJson)
    .map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return fc
    .tuple(fc.tuple(...members), fc.option(stranger, { freq: 1, nil: '' }), fc.boolean())
    .map(([own, strange, isRepeated]) => {
      const all = [...own, isRepeated ? strange : '', isRepeated ? (own[0] ?? '') : ''].filter(
        (member) => member !== '',
      );
      return `{${all.join(',')}}`;
    });
}

/** A value that matches the schema. */
export function scalarOf({ type, format, example, ...schema }: Schema, world: World): Arbitrary<unknown> {
  const shown = [example, schema.default, ...(schema.enum ?? [])].filter((value) => value !== undefined);
  if (format === 'uuid') return fc.constantFrom(...world.ids);
  if (format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date(0), max: new Date('2100-01-01') })
      .map((at) => at.toISOString());
  if (type === 'integer' || type === 'number') {
    const { minimum = 0, maximum = 1_000_000 } = schema;
    return fc.oneof(
      fc.integer({ min: minimum, max: Math.min(maximum, 2 ** 31 - 1) }),
      fc.constantFrom(minimum, maximum),
    );
  }
  if (type === 'boolean') return fc.boolean();
  if (shown.length > 0) return fc.constantFrom(...shown);
  return hostileText;
}
