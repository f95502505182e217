import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { findSecrets } from './find-secrets.js';

/** From parts, so that this file contains no secret. */
const CHOSEN = ['Wren', 'field', '84!'].join('');
const GENERATED = ['q7Vt2', 'mXc9K', 'pL4rZ', 'w8Ny3'].join('');

/** What the scan finds in a text in which `%` stands for the value. */
function foundIn(text: string, value: string): string[] {
  const written = text.replaceAll('%', value);
  return findSecrets(written).map(({ start, end }) => written.slice(start, end));
}

describe('the secret scan', () => {
  it.each([
    ['a column of CSV', 'user,password\nada,%\ngrace,\n'],
    ['a column of Markdown', '| User | Password |\n| ---- | -------- |\n| ada  | %  |\n'],
    ['a cell beside its name', '| DB_PASSWORD | `%` | the database |'],
    ['bold text', 'Password: **%**'],
    ['the value of an unset variable', 'ADMIN_PASSWORD=${ADMIN_PASSWORD:-%}'],
    ['a here string', 'read -r PASSWORD <<< "%"'],
    ['a section of character data', '<secret><![CDATA[%]]></secret>'],
    ['three quotes', 'password = """%"""'],
    ['a table of Terraform', 'secrets = { db = "%" }'],
    ['a list of variables', 'user, password = "ada", "%"'],
    ['a numbered name', 'password2: "%"'],
    ['a German name', 'kennwort = "%"'],
    ['a Spanish name', 'contraseña: "%"'],
    ['a pair under one name', 'Credentials: ada / %'],
    ['the argument of an encoder', "btoa('ada:%')"],
    ['a parameter of the type SecureString', 'type = "SecureString"\n  value = "%"'],
    ['an initializer of C++', 'std::string db_pass{"%"};'],
    [
      'an element with attributes',
      '<wsse:Password Type="https://example.org/wss#PasswordText">%</wsse:Password>',
    ],
    ['a constant of PL/SQL', "DB_PASSWORD constant varchar2(30) := '%';"],
    ['a French name', 'mot de passe : %'],
    ['a field of a form that a test fills', "cy.get('input[name=password]').type('%')"],
    ['a parameter of CloudFormation', '[{"ParameterKey":"DbPassword","ParameterValue":"%"}]'],
    ['a value before its name', '{ "value": "%", "name": "SMTP_PASSWORD" }'],
    ['SQL in double quotes', 'CREATE USER shop IDENTIFIED BY "%";'],
    ['the setting of a command', 'redis-cli config set requirepass %'],
    ['the registry of Poetry', 'poetry config http-basic.shop deploy %'],
    ['the value of a secret store', 'az keyvault secret set --vault-name v --name db --value "%"'],
    ['a parameter of a secret type', 'aws ssm put-parameter --name /db --type SecureString --value %'],
    ['an option after a user', 'twine upload -u deploy -p % dist/*'],
    ['the last argument of a command', 'ansible-vault encrypt_string --name db %'],
    ['a text for a secret of Docker', 'echo "%" | docker secret create db -'],
    ['a list of arguments', 'spawn("sshpass", ["-p", "%", "ssh", "host"])'],
    ['a user of a network device', 'username ada privilege 15 secret %'],
    ['the key of a network device', 'crypto isakmp key % address 10.0.0.1'],
    ['the users of cloud-init', 'chpasswd:\n  list: |\n    root:%'],
    ['a client with two arguments', 'loginAs("ada@example.org", "%")'],
  ])('finds a chosen password in %s', (_, text) => {
    expect(foundIn(text, CHOSEN)).toEqual([CHOSEN]);
  });

  it('finds a chosen password that begins with a sign', () => {
    for (const sign of ['#', '&', '%', '*'])
      expect(findSecrets(`password: "${sign}${GENERATED.slice(0, 12)}!"`)).toHaveLength(1);
  });

  it.each([
    'const shopKey = "%";',
    'SHOP_KEY=%',
    'token = <<~END\n  %\nEND',
    '<key>APIKey</key><string>%</string>',
    'The token for staging is %.',
    'new Twilio("AC0123", "%")',
  ])('finds a generated value in %j', (text) => {
    expect(foundIn(text, `${GENERATED}7f`)).toEqual([`${GENERATED}7f`]);
  });

  it.each(['pkcs8', 'pkcs1'] as const)(
    'finds a private key in base64 without the lines of PEM: %s',
    (type) => {
      const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
      const encoded = privateKey.export({ type, format: 'der' }).toString('base64');
      expect(foundIn('merchant: "%"', encoded)).toEqual([encoded]);
      const readable = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
      expect(foundIn('merchant: "%"', readable)).toEqual([]);
    },
  );

  it('finds the words that recover a wallet', () => {
    const words = 'river candle orbit velvet anchor frozen ladder marble option puzzle rabbit saddle';
    expect(foundIn('mnemonic = "%"', words)).toEqual([words]);
  });

  it.each([
    '"token",\n"ZeroOrMore",\n"alphas8bit",\n',
    'user,password\nada,\ngrace,none\n',
    '| password | string |',
    'ADMIN_PASSWORD=${ADMIN_PASSWORD:-$OTHER}',
    'password_encryption = scram-sha-256',
    'redis-cli config set maxmemory 2gb',
    'az keyvault secret set --vault-name v --name db --value "$VALUE"',
    'psql -U shop -p 5432',
    'username admin privilege 15',
    'ntp authentication-key 1 md5',
    'password_validators = ["MinLength8"]',
    '<label for="password" class="wide">Password2</label>',
    'password: "#section-title-2"',
    'password = &config2Value',
    'The key is repository_id_2024_of_the_project',
    `price: price_1${GENERATED}`,
    `cacheKey = "${GENERATED.toLowerCase()}7f"`,
  ])('leaves alone %j', (text) => {
    expect(findSecrets(text)).toEqual([]);
  });
});
