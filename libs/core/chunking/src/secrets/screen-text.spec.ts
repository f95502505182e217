import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { plantedSecrets } from '../../../../../test/support/planted-secrets.js';
import { findSecrets } from './find-secrets.js';
import { LIBRARY_VERSION } from './library-rules.js';
import { screenText, secretsFingerprint } from './screen-text.js';

const seeds = [1, 2, 3, 4, 5];
/** Excluded by their names before they are read. */
const BY_NAME = ['environment file', 'key file'];
const planted = seeds.flatMap(plantedSecrets).filter(({ kind }) => !BY_NAME.includes(kind));

/** A part of the secret that would be useful to an attacker. */
function pieceOf(secret: string, text: string): string | undefined {
  const pieces = secret.split(/\s+|\\n/).filter((piece) => piece.length >= 8 && !piece.includes('-----'));
  return pieces.find((piece) => text.includes(piece));
}

describe('screenText', () => {
  it.each(planted)('removes: $kind', ({ text, secret }) => {
    expect(pieceOf(secret, text)).toBeDefined();
    const screened = screenText(text, 'redact');
    expect(pieceOf(secret, screened.text)).toBeUndefined();
    expect(screened.text).toMatch(/\[redacted:[a-z0-9-]+\]/);
    expect(screened.secretsFound).toBe(1);
    expect(pieceOf(secret, screened.detail ?? '')).toBeUndefined();
  });

  it.each(planted)('keeps line numbers and finds nothing the second time: $kind', ({ text }) => {
    const screened = screenText(text, 'redact');
    expect(screened.text.split('\n')).toHaveLength(text.split('\n').length);
    expect(screened.text).toMatch(/^\/\/ first line\n[^]*\n\/\/ last line\n$/);
    expect(findSecrets(screened.text)).toEqual([]);
  });

  it.each([
    ['a token with a placeholder word', `token: gl${'pat-'}my_9sLq8Zr41Wm77Tn0`, 'my_9sLq8Zr41Wm77Tn0'],
    ['a password with the word example', 'password: "example-Xk29sLq8!Zr41"', 'Xk29sLq8!Zr41'],
    ['a slash in the password of a URL', 'postgres://app:Xk29/sLq8Zr@db/app', 'Xk29/sLq8Zr'],
    ['a dollar in the password of a URL', 'redis://:$9k29$sLq8Zr@redis', '$9k29$sLq8Zr'],
    ['a token of Repotide', `curl -d rt${'d_'}Xk29sLq8Zr41Wm77Tn05Xk29sLq8Zr41`, 'Xk29sLq8Zr41Wm77'],
    ['a positional AWS key', `AK${'IA'}234567ABCDEFGHIJ aB3${'Xk29sLq8Zr4/'.repeat(3)}z`, 'Xk29sLq8Zr4/'],
    ['a password with a place', 'PASSWORD_PROD=Xk29sLq8Zr41', 'Xk29sLq8Zr41'],
    ['an attribute of XML', '<add key="DbPassword" value="Xk29!sLq8Zr" />', 'Xk29!sLq8Zr'],
    ['a line of .npmrc', '_auth = "Xk29sLq8Zr41Wm=="', 'Xk29sLq8Zr41Wm'],
    ['a password of a registry in letters', '//npm.test/:_password=WGtzTHFaclc', 'WGtzTHFaclc'],
    ['an option of npm', 'npm publish --_auth=Xk29sLq8Zr41Wm', 'Xk29sLq8Zr41Wm'],
    ['a setting of npm in the environment', 'npm_config__authToken=Xk29sLq8Zr41Wm', 'Xk29sLq8Zr41Wm'],
    ['a word and digits in the environment', 'DB_PASS=Purple2031', 'Purple2031'],
    ['a password of words', 'spring.datasource.password=quiet-river-82', 'quiet-river-82'],
    ['one of several fields', 'Server=db;User Id=sa;Password=Berlin2031;Encrypt=True', 'Berlin2031'],
    ['the text of an element', '<password>Harbor07</password>', 'Harbor07'],
    ['the second item of a list', 'passwords = ["Harbor#31", "Falcon#82"]', 'Falcon#82'],
    ['an argument after its option', 'command: ["redis-server", "--requirepass", "Harbor#31"]', 'Harbor#31'],
    ['a password from echo', 'echo Harbor#31 | sudo -S apt update', 'Harbor#31'],
    ['a user before the password', 'smbclient //s/x -U bob%Harbor#31', 'Harbor#31'],
    ['a row of a table', "INSERT INTO users (name, password) VALUES ('bob', 'Harbor#31')", 'Harbor#31'],
    ['a header that is set', `set('X-Api-Key', '${'8f3a92c1d07be645'.repeat(2)}')`, '8f3a92c1'],
    ['a sentence', '# the admin password is Harbor#31', 'Harbor#31'],
    ['segments with dots', `x = "pat.zz${'Q3'.repeat(2)}.a1b2c3d4e5.Xk29sLq8Zr41Wm77Tn05Xk29"`, 'Wm77Tn05'],
    ['a prefix and small letters', `use("pnu_${'ys5k7z0hli4y4g69up23'}auvs9yqwpjp7")`, 'up23auvs9'],
    ['a long run of letters in both cases', `x = "${'Xk29sLq8Zr41Wm77Tn05'.repeat(3)}"`, 'Wm77Tn05'],
    [
      'a value in a string in a notebook',
      String.raw`"source": ["api_key = \"Xk29sLq8Zr41Wm77\"\n"]`,
      'Xk29sLq8',
    ],
    ['a value below its element', '<apiToken>\n    Xk29sLq8Zr41Wm77\n</apiToken>', 'Xk29sLq8'],
    ['a block of YAML', 'api_key: |\n  Xk29sLq8Zr41Wm77', 'Xk29sLq8'],
    ['a continued line', 'PASSWORD = \\\n    "Harbor#31"', 'Harbor#31'],
    ['a type after the name', 'var apiToken string = "Xk29sLq8Zr41Wm77"', 'Xk29sLq8'],
    ['an appending assignment of a Makefile', 'API_TOKEN :::= "Xk29sLq8Zr41Wm77"', 'Xk29sLq8'],
    ['a parameter with a value', '"adminPassword": { "value": "Harbor#31" }', 'Harbor#31'],
    ['a map of users', 'passwords = {"bob": "Harbor#31"}', 'Harbor#31'],
    ['the default of an option', "add_argument('--password', default='Harbor#31')", 'Harbor#31'],
    [
      'a name in an element and a value in the next',
      '<n>password</n><param-value>Harbor#31</param-value>',
      'Harbor#31',
    ],
    ['a name below another name', '"test_secrets": { "api_secret": "Xk29sLq8Zr41Wm77Tn05" }', 'Xk29sLq8'],
    ['a key below its use', '"Jwt": { "Key": "Xk29sLq8Zr41Wm77" }', 'Xk29sLq8'],
    ['a field that a test fills', "cy.get('#password').type('Harbor#31')", 'Harbor#31'],
    ['a note', 'ssh bob@host (PW:Harbor#31)', 'Harbor#31'],
    ['a line of a network device', 'username bob password 0 Harbor#31', 'Harbor#31'],
    ['a password among four arguments', 'Credentials("x", "host.test", "bob", "Harbor#31")', 'Harbor#31'],
    ['a password that is hashed', "Hash::make('Harbor#31')", 'Harbor#31'],
    ['an administrator and a password', '("admin", "Harbor#31")', 'Harbor#31'],
    ['a row of two columns', 'apiToken,Xk29sLq8Zr41Wm77Tn05,', 'Xk29sLq8'],
    ['a value that repeats the name with more', 'DB_PASSWORD=DB_PASSWORD-Xk29sLq8Zr', 'Xk29sLq8Zr'],
  ])('removes %s', (_what, line, secret) => {
    expect(screenText(`before\n${line}\nafter\n`, 'redact').text).not.toContain(secret);
  });

  it('reports rules and lines', () => {
    const [key, , , aws] = plantedSecrets(9);
    const { detail, secretsFound } = screenText(`${key!.text}${aws!.text}`, 'redact');
    expect(secretsFound).toBe(2);
    const lastLine = 1 + key!.secret.split('\n').length;
    expect(detail).toBe(`private-key lines 2-${lastLine}, aws-access-key line ${lastLine + 3}`);
  });

  it('reports the first twenty', () => {
    const text = plantedSecrets(3)[3]!.text.repeat(25);
    const { detail, secretsFound } = screenText(text, 'redact');
    expect(secretsFound).toBe(25);
    expect(detail).toMatch(/, and 5 more$/);
  });

  it('finds a key without an end line', () => {
    const { text, secret } = plantedSecrets(4)[0]!;
    const cut = text.slice(0, text.indexOf('-----END'));
    expect(pieceOf(secret, screenText(cut, 'redact').text)).toBeUndefined();
  });

  it('does not search when the policy is off', () => {
    const { text } = planted[0]!;
    expect(screenText(text, 'off')).toEqual({ text, secretsFound: 0, detail: null });
  });

  it.each([
    'const token = request.headers.authorization;',
    'password: string;',
    'const apiKey = process.env.API_KEY_FOR_SERVICE_2;',
    'token = parseTokenFromHeader2(value)',
    'api_key: ${API_KEY}',
    'GITLAB_TOKEN=glpat-xxxxxxxxxxxxxxxxxxxx',
    'secretKeyRef: { name: repotide-secrets-v2 }',
    'password = "changeme123"',
    'arn:aws:secretsmanager:eu-west-1:123456789012:secret:db-7e99ec9',
    'System.Web, PublicKeyToken=b77a5c561934e089',
    '"adminPassword": { "type": "securestring2" }',
    'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIXk29sLq8Zr41Wm77Tn05Xk29sLq8Zr41Wm77Tn05 bob',
    'password = value2',
    'password=password2',
    "invalidPassword: '28P01',",
    'https://user:password@example.com',
    '"password": "Passwort"',
    'htpasswd: ada:$apr1$Xk29sLq8$Zr41Wm77Tn05Xk29sLq8Z',
    'case ssa.OpAMD64VGF2P8AFFINEINVQB128, ssa.OpAMD64VPERMI2Q512:',
    'password sufficient pam_unix.so sha512',
    'credentialsId: "github-deploy-key-01"',
    'password = random_password.master.result',
    'integrity sha512-Hs59xBNfUIunMFgWAbGX5cq6893IbWg4KnrjbYwX3tx0ztorVgTDA6B2sxf8ejHJ4wz8BqGUMYlnzNBer5NvGg==',
    'commit 9d1dcfdaf1a6857c5f83dc27019c7600e1ffaff8',
    'id: 6f0c9a4e-0d0b-4c57-9d53-2f6c1f3d8a11',
    'postgres://repotide:<password>@postgres:5432/repotide',
    'tokenBudget: 200000',
    'The password must have 12 characters and a number.',
    'const keyPrefix = "repotide:upload_progress:user";',
    '  "V1SecretEnvSource": V1SecretEnvSource,',
    'exports.K8S_VOLUME_TYPE_VALUE_SECRET = K8S_VOLUME_TYPE_VALUE_SECRET;',
    'exports.AuthenticationMD5Password = AuthenticationMD5Password;',
    "const require_auth = require('./auth-aGUnHfBE.cjs');",
    'RequestBase.prototype._auth = function (user, pass, options) {',
    '        self._password = handler.password2',
    'pre_auth = kwargs.get("pre_auth", [])',
    '_password = user_password2(value)',
    'openapi-typescript $npm_package_config_openapi_schema_remote',
    '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEWVx\n-----END PUBLIC KEY-----',
  ])('leaves alone: %s', (text) => {
    expect(findSecrets(text)).toEqual([]);
  });

  it('takes linear time for hostile texts', () => {
    const hurtful = [
      '-----BEGIN PRIVATE KEY-----\n'.repeat(20_000),
      'token'.repeat(100_000),
      'password='.repeat(60_000),
      `password${' '.repeat(400_000)}`,
      'eyJaaaaaaaaaaaa.'.repeat(30_000),
      `://${'a:'.repeat(200_000)}`,
      'https://'.repeat(60_000),
      'xoxb-1-'.repeat(60_000),
      'Bearer '.repeat(60_000),
      'LS0tLS1CRUdJTi'.repeat(30_000),
    ];
    // Quadratic time would run into the test's own limit: half a million characters, squared, are minutes.
    for (const text of hurtful) expect(screenText(text, 'redact').text.length).toBeGreaterThan(0);
  });
});

describe('secretsFingerprint', () => {
  it('depends on the policy', () => {
    expect(new Set((['redact', 'skip', 'off'] as const).map(secretsFingerprint)).size).toBe(3);
  });

  it('depends on the version of the installed library', async () => {
    const path = 'node_modules/@secretlint/secretlint-rule-preset-recommend/package.json';
    const { version } = JSON.parse(await readFile(path, 'utf8')) as { version: string };
    expect(LIBRARY_VERSION).toBe(version);
  });
});
