import { isPlaceholder, type SecretFinding } from './finding.js';
import { isMixed } from './randomness.js';

/** A password by its place: after the option of a command, after a directive, in a column. */
interface Place {
  /** Every match contains one of them; texts without are not searched. */
  hints: readonly string[];
  /** Global, with the group `secret`. Every run is bounded. */
  pattern: RegExp;
}

const COMMON_PLACES: readonly Place[] = [
  // .pgpass: host, port, database and user before the password
  {
    hints: [':'],
    pattern: /^[\w.*-]{1,100}:(?:[1-6]\d{3,4}|\*):[\w*.-]{1,63}:[\w*.-]{1,63}:(?<secret>[^\s:]{6,200})$/gm,
  },
  // A directive of a configuration file: `requirepass ...`, `BindPassword ...`
  {
    hints: ['ass', 'ASS', 'indpw', 'asterauth', 'ecret', 'ECRET'],
    pattern:
      /^[ \t]{0,20}[\w.-]{0,40}(?:pass(?:word|wd|phrase)?|bindpw|masterauth|secret)[ \t]{1,8}["']?(?<secret>[^\s"'=:]{8,200})["']?[ \t]{0,8}$/gim,
  },
];

/** Looked for only in texts with a hint of any of them. */
const RARE_PLACES: readonly Place[] = [
  // .netrc
  {
    hints: ['login ', 'login\t'],
    pattern: /\blogin\s{1,8}\S{1,100}\s{1,8}password\s{1,8}(?<secret>\S{6,200})/g,
  },
  // `curl -u user:password`, `wget --user=a:b`, also on a continued line, and with quotes around each part
  {
    hints: ['curl ', ' --user'],
    pattern:
      /\b(?:curl|http|wget)\b(?:[^\n\\]|\\[^\n]?|\\\r?\n){0,300}?\s(?:-u|--user)[ =]{0,5}["']?[\w.@+-]{0,64}:["']?(?<secret>[^\s"'`]{6,200})/g,
  },
  // `sshpass -p password`, `mysql -ppassword`
  {
    hints: ['sshpass', 'mysql', 'mariadb'],
    pattern:
      /\b(?:sshpass\s{1,3}-p\s{0,3}|(?:mysql|mariadb)[\w-]{0,10}\b[^\n]{0,100}?\s-p)["']?(?<secret>[^\s"'`]{6,200})/g,
  },
  // PowerShell
  {
    hints: ['SecureString', 'securestring'],
    pattern: /ConvertTo-SecureString\s{1,3}(?:-String\s{1,3})?["'](?<secret>[^"'\n]{6,200})["']/gi,
  },
  // An option of any command: `--password value`, `--api-key value`
  {
    hints: [' --'],
    pattern:
      /\s--[\w-]{0,20}(?:pass(?:word|wd|phrase)?|pwd|secret|token|(?:api|access|auth|private|account|signing)[_-]?key)[ \t]{1,4}["']?(?<secret>[^\s"'`=-][^\s"'`]{7,200})/gi,
  },
  // A short option of a command that takes a password there
  {
    hints: [' login ', 'redis-cli', 'openssl ', 'ldap', 'net use', 'mosquitto_'],
    pattern:
      /\b(?:(?:docker|podman|skopeo|buildah|crane|oras|helm|az|oc)\b[^\n]{0,100}?\blogin\b[^\n]{0,100}?\s-p|redis-cli\b[^\n]{0,100}?\s-a|openssl\b[^\n]{0,100}?\s-(?:k|K|pass(?:in|out)?\s{1,3}pass:)|ldap\w{3,10}\b[^\n]{0,150}?\s-w|mosquitto_\w{3}\b[^\n]{0,100}?\s-P|net use\b[^\n]{0,100}?\s\/user:\S{1,60})[ \t=]{0,3}["']?(?<secret>[^\s"'`]{6,200})/g,
  },
  // The words of Dockerfiles and shells between a name and its value: `ENV NAME value`, `set -x NAME value`
  {
    hints: ['ENV ', 'set -', 'setenv ', 'setx '],
    pattern:
      /^[ \t]{0,20}(?:ENV|set\s{1,3}-\w{1,4}|setenv|setx)\s{1,3}\w{0,40}(?:PASS(?:WORD|WD|PHRASE)?|PWD|SECRET|TOKEN|KEY|pass(?:word)?|secret|token|key)\w{0,20}\s{1,3}["']?(?<secret>[^\s"'`=]{8,200})/gm,
  },
  // SQL
  {
    hints: ['IDENTIFIED', 'PASSWORD', 'identified', 'password '],
    pattern: /\b(?:IDENTIFIED\s{1,4}BY|PASSWORD)\s{0,4}=?\s{0,4}N?'(?<secret>[^'\n]{6,200})'/gi,
  },
  // The password of a user in a list of arguments: `connect(url, "app", "password")`, `auth=("app", "password")`
  {
    hints: [
      'getConnection(',
      'mysqli',
      'PDO(',
      'Credential',
      'asicAuth',
      'asic_auth',
      'auth=(',
      'auth = (',
      'jwt.',
      'createHmac(',
      'createCipher',
    ],
    pattern:
      /(?:getConnection|mysqli(?:_connect)?|\bPDO|Credentials?|asic_?[aA]uth\w{0,20}|\bauth\s{0,2}=\s{0,2}|jwt\.(?:sign|verify|encode|decode)|create(?:Hmac|Cipher(?:iv)?))\(\s{0,4}(?:[^()\n"'`]{0,60}|["'][^"'\n]{0,80}["'])(?:,\s{0,4}(?:[\w.$]{1,40}|["'][^"'\n]{0,80}["'])){0,2}?,\s{0,4}["'](?<secret>[^"'\n]{6,200})["']/g,
  },
  // Oracle's `user/password@host`, and Go's `user:password@tcp(host)`
  {
    hints: ['thin:', 'sqlplus', '@tcp(', '@unix('],
    pattern:
      /(?:\bthin:|\bsqlplus\s{1,3}(?:-\w\s{1,3}){0,2})\w{1,60}\/(?<secret>[^@\s"'/]{6,100})@|["'`]\w{1,60}:(?<second>[^@\s"'`:]{6,100})@(?:tcp|unix)\(/g,
  },
  // Terraform: a variable with the name of a secret, and its default
  {
    hints: ['variable "'],
    pattern:
      /\bvariable\s{1,3}"[\w-]{0,60}(?:pass(?:word|wd|phrase)?|secret|token|key)[\w-]{0,20}"\s{0,3}\{[^{}]{0,300}?\bdefault\s{0,5}=\s{0,3}"(?<secret>[^"\n]{6,200})"/g,
  },
  // Headers and cookies
  {
    hints: [
      'uthorization',
      'ookie:',
      '-Token:',
      '-token:',
      '"Token:',
      "'Token:",
      'piKey:',
      'pikey:',
      'pi-key:',
      'pi-Key:',
      'uth-Key:',
    ],
    pattern:
      /\bAuthorization["']?\s{0,2}[:=,]\s{0,3}["']?(?:[A-Za-z][\w-]{2,20}\s{1,3})?(?<secret>[\w+/=.~:-]{16,300})|\bCookie:[^\n]{0,200}?\b\w{0,20}(?:sess|sid|auth|token)\w{0,20}=(?<second>[\w+/=.~%-]{16,300})|["'](?:[\w-]{1,30}-)?(?:api-?key|token|auth-?key):\s{0,3}(?<third>[\w+/=.~-]{10,300})["']/gi,
  },
];

export const RARE_HINTS: readonly string[] = RARE_PLACES.flatMap(({ hints }) => hints);

/**
 * Finds passwords that follow a command, a directive or columns instead of a name and a sign.
 * @param present those of {@link RARE_HINTS} that the text contains.
 */
export function findArguments(text: string, present: ReadonlySet<string>): SecretFinding[] {
  const places = [
    ...COMMON_PLACES.filter(({ hints }) => hints.some((hint) => text.includes(hint))),
    ...RARE_PLACES.filter(({ hints }) => hints.some((hint) => present.has(hint))),
  ];
  return places.flatMap(({ pattern }) => {
    return [...text.matchAll(pattern)].flatMap((match) => {
      const secret = match.groups?.['secret'] ?? match.groups?.['second'] ?? match.groups?.['third'] ?? '';
      // Words, variables and references are no passwords.
      if (!/\d/.test(secret) || !isMixed(secret) || isPlaceholder(secret)) return [];
      if (/^[$%{<[(]/.test(secret)) return [];
      const start = match.index + match[0].lastIndexOf(secret);
      return [{ rule: 'password', start, end: start + secret.length }];
    });
  });
}
