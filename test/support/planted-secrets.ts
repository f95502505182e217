import { generateKeyPairSync } from 'node:crypto';
import { Random } from '@devkit';

/** A secret in a file: `line` contains it, `secret` is the text that must appear nowhere. */
export interface PlantedSecret {
  kind: string;
  path: string;
  text: string;
  secret: string;
}

const LOWER_HEX = '0123456789abcdef';
const BASE_32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Generated at run time, so that no file of this repository contains one. The same seed gives the same secrets. */
export function plantedSecrets(seed: number): PlantedSecret[] {
  const random = new Random(seed);
  const make = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[random.below(alphabet.length)]).join('');
  const word = (length: number) => make(ALPHANUMERIC, length);
  const plant = (kind: string, path: string, secret: string, line: string): PlantedSecret => ({
    kind,
    path,
    secret,
    text: `// first line\n${line.replace('SECRET', () => secret)}\n// last line\n`,
  });
  const key = privateKey();
  return [
    plant('RSA private key', 'deploy/key.ts', key, 'export const key = `SECRET`;'),
    plant('key in JSON', 'deploy/account.json', key.replaceAll('\n', '\\n'), '{ "private_key": "SECRET" }'),
    plant(
      'key in base64',
      'deploy/config.yaml',
      Buffer.from(key).toString('base64'),
      'client-key-data: SECRET',
    ),
    plant('AWS access key', 'src/aws.ts', `AKIA${make(BASE_32, 16)}`, 'const id = "SECRET";'),
    plant('AWS secret key', 'src/aws.ini', make(`${ALPHANUMERIC}/+`, 40), 'aws_secret_access_key = SECRET'),
    plant('GitLab token', 'src/gitlab.py', `glpat-${word(20)}`, "token = 'SECRET'"),
    plant('GitLab routable token', 'ci.yml', `glpat-${word(27)}.01.${word(9)}`, 'PRIVATE-TOKEN: SECRET'),
    plant('GitHub token', 'src/github.rb', `ghp_${word(36)}`, 'client = Client.new("SECRET")'),
    plant(
      'Slack token',
      'src/slack.go',
      `xoxb-${make('0123456789', 12)}-${word(24)}`,
      'api := New("SECRET")',
    ),
    plant(
      'Slack webhook',
      'src/hook.sh',
      `T${word(8)}/B${word(8)}/${word(24)}`,
      'curl https://hooks.slack.com/services/SECRET',
    ),
    plant('Stripe key', 'src/pay.php', `sk_live_${word(24)}`, "Stripe::setApiKey('SECRET');"),
    plant('Google API key', 'src/maps.html', `AIza${word(35)}`, '<script src="https://maps/api?key=SECRET">'),
    plant('npm token', 'src/publish.ts', `npm_${word(36)}`, 'run("npm", "SECRET");'),
    plant('npm password', '.npmrc', word(32), '//registry.test/:_authToken=SECRET'),
    plant('PyPI token', 'src/upload.py', `pypi-${word(80)}`, 'password = "SECRET"'),
    plant('OpenAI key', 'src/ai.ts', `sk-proj-${word(48)}`, 'new OpenAI({ apiKey: "SECRET" });'),
    plant('Anthropic key', 'src/ai.py', `sk-ant-api03-${word(93)}AA`, 'client = Anthropic("SECRET")'),
    plant('SendGrid key', 'src/mail.java', `SG.${word(22)}.${word(43)}`, 'new SendGrid("SECRET");'),
    plant('Twilio key', 'src/sms.js', `SK${make(LOWER_HEX, 32)}`, 'twilio("SECRET");'),
    plant('Azure storage key', 'src/blob.cs', `${word(86)}==`, 'var c = "AccountName=a;AccountKey=SECRET";'),
    plant('Vault token', 'src/vault.tf', `hvs.${word(28)}`, 'provider "vault" { address = "SECRET" }'),
    plant('Hugging Face token', 'src/model.py', `hf_${word(34)}`, 'login("SECRET")'),
    plant('Telegram token', 'src/bot.ts', `${make('123456789', 9)}:AA${word(33)}`, 'new Bot("SECRET");'),
    plant('JSON web token', 'src/jwt.ts', jwt(word), 'const session = "SECRET";'),
    plant('authorization header', 'docs/api.md', word(40), 'curl -H "Authorization: Bearer SECRET"'),
    plant(
      'password in a URL',
      'src/db.ts',
      word(16),
      'connect("postgres://app:SECRET@db.internal:5432/app");',
    ),
    plant('password in YAML', 'chart/values.yaml', `${word(10)}7x`, '  password: SECRET'),
    plant('password in code', 'src/login.ts', `${word(6)}-9!${word(6)}`, "const password = 'SECRET';"),
    plant('secret in JSON', 'config.json', make(LOWER_HEX, 40), '{ "clientSecret": "SECRET" }'),
    plant('key in a shell script', 'run.sh', word(32), 'export ENCRYPTION_KEY=SECRET'),
    plant('environment file', '.env', word(12), 'ANYTHING=SECRET'),
    plant('key file', 'tls/server.key', key, 'SECRET'),
  ];
}

function privateKey(): string {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return key.export({ type: 'pkcs8', format: 'pem' }).toString().trim();
}

function jwt(word: (length: number) => string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  return `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub: word(10) })}.${word(43)}`;
}
