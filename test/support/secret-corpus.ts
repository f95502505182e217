import { Random } from '@devkit';
import { LANGUAGE_LOOK_ALIKES, LANGUAGE_SECRETS } from './language-secret-lines.js';
import { FURTHER_LOOK_ALIKES, FURTHER_SECRETS } from './further-secret-lines.js';

/** A line of a file, and the secret in it; null: the line only looks like one. */
export interface CorpusLine {
  kind: string;
  text: string;
  secret: string | null;
}

const HEX = '0123456789abcdef';
const DIGITS = '0123456789';
const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const WORD = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

type Make = (alphabet: string, length: number) => string;

/** By vendor: how a secret is built. From parts, so that no file of this repository contains one. */
const TOKENS: readonly (readonly [kind: string, build: (make: Make) => string])[] = [
  ['GitLab token', (make) => `gl${'pat-'}${make(WORD, 20)}`],
  ['GitLab deploy token', (make) => `gl${'dt-'}${make(WORD, 20)}`],
  ['GitLab runner token', (make) => `gl${'rt-'}${make(WORD, 20)}`],
  ['Repotide token', (make) => `rt${'d_'}${make(`${WORD}-_`, 31)}${make(WORD, 1)}`],
  ['GitHub token', (make) => `gh${'p_'}${make(WORD, 36)}`],
  ['GitHub fine-grained token', (make) => `github${'_pat_'}${make(WORD, 82)}`],
  ['AWS access key', (make) => `AK${'IA'}${make(BASE_32, 16)}`],
  ['Google API key', (make) => `AI${'za'}${make(WORD, 35)}`],
  ['Slack token', (make) => `xo${'xb-'}${make(DIGITS, 12)}-${make(WORD, 24)}`],
  ['Stripe key', (make) => `sk${'_live_'}${make(WORD, 24)}`],
  ['npm token', (make) => `np${'m_'}${make(WORD, 36)}`],
  ['PyPI token', (make) => `py${'pi-'}${make(WORD, 80)}`],
  ['OpenAI key', (make) => `s${'k-proj-'}7${make(WORD, 47)}`],
  ['SendGrid key', (make) => `S${'G.'}${make(WORD, 22)}.${make(WORD, 43)}`],
  ['DigitalOcean token', (make) => `do${'p_v1_'}${make(HEX, 64)}`],
  ['Hugging Face token', (make) => `h${'f_'}${make(WORD, 34)}`],
  ['Vault token', (make) => `hv${'s.'}${make(WORD, 28)}`],
  ['Docker token', (make) => `dckr${'_pat_'}${make(WORD, 27)}`],
  ['JSON web token', (make) => `ey${'J'}${make(WORD, 30)}.ey${'J'}${make(WORD, 60)}.${make(WORD, 43)}`],
];

/** Where people put a token. */
const TOKEN_LINES = {
  tuning: [
    'const client = new Client("SECRET");',
    'curl -H "PRIVATE-TOKEN: SECRET" https://git.test/api',
    '# old one was SECRET, do not use',
    '<add key="AuthToken" value="SECRET" />',
  ],
  heldOut: [
    "login('my_service', 'SECRET')",
    '| production | SECRET | rotated in May |',
    'example_config: { the_credential: SECRET }',
    'echo SECRET | docker login --password-stdin',
  ],
};

const strong: (make: Make) => string = (make) => `${make(WORD, 9)}7k${make(WORD, 9)}Q`;
const chosen: (make: Make) => string = (make) => `${make(WORD, 5)}!${make(DIGITS, 3)}aB${make('#$%&+', 1)}x`;
const awsSecret: (make: Make) => string = (make) => `aB3${make(`${WORD}/+`, 36)}z`;

/** Lines whose secret has no recognizable form. */
const NAMED_LINES: Record<
  keyof typeof TOKEN_LINES,
  readonly (readonly [string, string, (make: Make) => string])[]
> = {
  tuning: [
    [
      'password with a place',
      'PASSWORD_PROD=SECRET',
      (make) => make(WORD, 6) + make(DIGITS, 3) + make(WORD, 5),
    ],
    ['password in a URL', 'postgres://app:SECRET@db.test:5432/app', strong],
    [
      'password with a slash in a URL',
      'redis://:SECRET@redis.test:6379/0',
      (make) => `${make(WORD, 6)}/${make(WORD, 7)}`,
    ],
    [
      'password with a dollar in a URL',
      'url = "https://bot:SECRET@git.test/a.git"',
      (make) => `${make(WORD, 5)}$${make(WORD, 6)}9`,
    ],
    ['attribute of XML', '<property name="db.password" value="SECRET"/>', chosen],
    ['generated key', 'ENCRYPTION_KEY = "SECRET"', (make) => make(HEX, 32)],
    [
      'password with a placeholder word',
      'password: "SECRET"',
      (make) => `my_${make(WORD, 8)}7!${make(WORD, 4)}`,
    ],
    ['AWS keys of a table', 'ci-user,AKIA234567ABCDEFGHIJ,SECRET', awsSecret],
  ],
  heldOut: [
    [
      'password with a place',
      'DB_PASSWORD_STAGING: SECRET',
      (make) => make(WORD, 7) + make(DIGITS, 3) + make(WORD, 4),
    ],
    ['password in a URL', 'amqps://worker:SECRET@mq.internal/vhost', strong],
    [
      'password with a slash in a URL',
      'DATABASE_URL=mysql://root:SECRET@10.0.0.5/shop',
      (make) => `${make(WORD, 4)}/${make(WORD, 4)}/${make(WORD, 4)}`,
    ],
    [
      'password with a dollar in a URL',
      'smtp://mailer:SECRET@smtp.test:587',
      (make) => `$${make(DIGITS, 2)}${make(WORD, 6)}$${make(WORD, 3)}`,
    ],
    ['attribute of XML', '<connection user="sa" password="SECRET" />', chosen],
    ['variable of a pod', '- name: API_KEY\n  value: SECRET', (make) => `${make(HEX, 31)}f`],
    ['generated key', "signingSecret: 'SECRET',", (make) => make(WORD, 40)],
    [
      'password with a placeholder word',
      "password = 'SECRET'",
      (make) => `example-${make(WORD, 8)}9#${make(WORD, 3)}`,
    ],
    ['AWS keys as arguments', 'aws configure set aws_secret_access_key SECRET', awsSecret],
    ['AWS keys of a call', 'new AWS.Credentials("AKIA765432JIHGFEDCBA", "SECRET")', awsSecret],
  ],
};

/** Lines that only look like a secret. `VALUE` is filled by the function. */
const LOOK_ALIKES: Record<keyof typeof TOKEN_LINES, readonly (readonly [string, (make: Make) => string])[]> =
  {
    tuning: [
      ['commit VALUE', (make) => make(HEX, 40)],
      ['integrity: sha512-VALUE==', (make) => make(`${WORD}+/`, 86)],
      ['id: VALUE', uuid],
      ['password = "your-password-here"', (make) => make(DIGITS, 1)],
      ['GITLAB_TOKEN=gl' + 'pat-xxxxxxxxxxxxxxxxxxxx # VALUE', (make) => make(DIGITS, 3)],
      ['postgres://app:${DB_PASSWORD}@db:VALUE/app', (make) => `5${make(DIGITS, 3)}`],
      ['const token = parseToken(requestVALUE)', (make) => make(DIGITS, 2)],
      ['password_min_length = VALUE', (make) => `1${make(DIGITS, 7)}`],
      ['image: registry.test/app@sha256:VALUE', (make) => make(HEX, 64)],
      ['https://cdn.test:8080/@scope/pkg@VALUE/index.js', (make) => `1.${make(DIGITS, 2)}.0`],
      ['secretName: repotide-tls-vVALUE', (make) => make(DIGITS, 2)],
      ['api_key: process.env.API_KEY_VALUE', (make) => make(DIGITS, 2)],
      ['The token expires after VALUE seconds.', (make) => make(DIGITS, 4)],
      ['const PASSWORD_FIELD_ID = "field-password-VALUE";', (make) => make(DIGITS, 2)],
      ['<add key="TokenLifetime" value="00:VALUE:00" />', (make) => make('12345', 2)],
    ],
    heldOut: [
      ['ETag: "VALUE"', (make) => make(HEX, 32)],
      ['FROM node:24@sha256:VALUE', (make) => make(HEX, 64)],
      ['traceparent: 00-VALUE-00f067aa0ba902b7-01', (make) => make(HEX, 32)],
      ['request_id=VALUE', uuid],
      ['password: changemeVALUE', (make) => make(DIGITS, 3)],
      ['SLACK_TOKEN=xo' + 'xb-your-token-here # VALUE', (make) => make(DIGITS, 3)],
      ['mysql://user:<password>@db:VALUE/shop', (make) => `3${make(DIGITS, 3)}`],
      ['redis://:$REDIS_PASSWORD@redis:VALUE/0', (make) => `6${make(DIGITS, 3)}`],
      ['let accessToken = await fetchAccessTokenVALUE();', (make) => make(DIGITS, 1)],
      ['tokenBudget: VALUE', (make) => make(DIGITS, 6)],
      ['color: #VALUE; /* key color */', (make) => make(HEX, 6)],
      ['private_key_path = "/etc/ssl/private/server-VALUE.key"', (make) => make(DIGITS, 2)],
      ['keyword-VALUE-of-the-primary-key-index', (make) => make(DIGITS, 2)],
      ['passwordHash: "$2b$10$VALUE"', (make) => make(`${WORD}./`, 22)],
      ['- name: LOG_LEVEL_VALUE\n  value: information', (make) => make(DIGITS, 1)],
      ['aws_access_key_id = AK' + 'IAIOSFODNN7EXAMPLE # VALUE', (make) => make(DIGITS, 2)],
      ['secretKeyRef: { name: "app-secrets-VALUE", key: password }', (make) => make(DIGITS, 2)],
      ['npm install left-pad@VALUE --registry https://registry.test', (make) => `1.${make(DIGITS, 1)}.3`],
    ],
  };

function uuid(make: Make): string {
  return `${make(HEX, 8)}-${make(HEX, 4)}-4${make(HEX, 3)}-a${make(HEX, 3)}-${make(HEX, 12)}`;
}

const SEEDS = { tuning: 11, heldOut: 97, further: 5, languages: 23 };

/**
 * At least 300 secrets and 300 look-alikes; the same lines for the same set. The rules were written with the set `tuning`
 * at hand; `heldOut` and `further` have other lines, names and seeds.
 */
export function secretCorpus(set: keyof typeof SEEDS): CorpusLine[] {
  const random = new Random(SEEDS[set]);
  const make: Make = (alphabet, length) =>
    Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
  const fill = (kind: string, line: string, secret: string): CorpusLine => ({
    kind,
    secret,
    text: `// before\n${line.replace(/(SECRET|VALUE)(?!.*\1)/s, () => secret)}\n// after\n`,
  });
  const times = (count: number, lines: typeof FURTHER_SECRETS) =>
    lines.flatMap(([line, build]) => Array.from({ length: count }, () => fill(line, line, build(make))));
  const without = (lines: CorpusLine[]) => lines.map((line) => ({ ...line, secret: null }));
  if (set === 'further') return [...times(5, FURTHER_SECRETS), ...without(times(5, FURTHER_LOOK_ALIKES))];
  if (set === 'languages') return [...times(3, LANGUAGE_SECRETS), ...without(times(3, LANGUAGE_LOOK_ALIKES))];
  const tokens = TOKENS.flatMap(([kind, build]) =>
    TOKEN_LINES[set].flatMap((line) => [1, 2, 3].map(() => fill(kind, line, build(make)))),
  );
  const named = NAMED_LINES[set].flatMap(([kind, line, build]) =>
    Array.from({ length: 12 }, () => fill(kind, line, build(make))),
  );
  const lookAlikes = LOOK_ALIKES[set].flatMap(([line, build]) =>
    Array.from({ length: 21 }, () => {
      const text = `// before\n${line.replace('VALUE', () => build(make))}\n// after\n`;
      return { kind: line, text, secret: null };
    }),
  );
  return [...tokens, ...named, ...lookAlikes];
}

export interface Score {
  secrets: number;
  lookAlikes: number;
  recall: number;
  precision: number;
  missed: CorpusLine[];
  wrong: CorpusLine[];
}

/** @param find the positions of the secrets of a text. */
export function scoreOf(
  lines: readonly CorpusLine[],
  find: (text: string) => readonly { start: number; end: number }[],
): Score {
  const secrets = lines.filter(({ secret }) => secret !== null);
  const lookAlikes = lines.filter(({ secret }) => secret === null);
  const isFound = ({ text, secret }: CorpusLine): boolean => {
    const start = text.indexOf(secret ?? '');
    return find(text).some((found) => found.start <= start && found.end >= start + (secret ?? '').length);
  };
  const missed = secrets.filter((line) => !isFound(line));
  const wrong = lookAlikes.filter(({ text }) => find(text).length > 0);
  const found = secrets.length - missed.length;
  return {
    ...{ secrets: secrets.length, lookAlikes: lookAlikes.length, missed, wrong },
    recall: found / secrets.length,
    precision: found / (found + wrong.length),
  };
}
