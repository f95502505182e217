import { isChosenPassword, isChosenPasswordInCode } from './chosen-passwords.js';
import { isPlaceholder, type SecretFinding } from './finding.js';
import { isGenerated, isMixed } from './randomness.js';
import { isOwnWord } from './own-word.js';

/** Names that announce a secret. The beginning of a longer name does not matter and is not matched. */
const SECRET_NAME = [
  'passwords?|passwd|passphrase|pass(?![a-z])|pwd|pw(?![a-z])|secrets?|tokens?|credentials?',
  'api[_-]?keys?|access[_-]?keys?|connection[_-]?string',
  'psk|pre[_-]?shared[_-]?key|auth(?=["\'])',
  '(?:private|auth|client|encryption|signing|master|license|account|storage|service|shared|secret|session|app|jwt|hmac|aes|unseal|root|server|live|sdk|webhook|license|recovery|cipher|crypt|crypto)[_-]?keys?',
].join('|');

/** A value in quotes may have any sign, as generated salts do; without quotes it ends where an expression may end. */
const VALUE = String.raw`(?:(?<=["'\`])(?<quoted>[^\s"'\`]{5,300})|(?<value>[^\s"'\`,;<>(){}[\]]{5,300}))`;

/** What is between a name and its value, from the longest on: a type, an arrow or a sign, the comma of two arguments. */
const BETWEEN = [
  String.raw`\??:\s{0,2}[&']{0,2}[A-Za-z][\w.<>?|[\] ]{0,30}=\s{0,3}`,
  String.raw`["'\`\])]{0,3}\s{0,20}(?:=>|:=|\?=|={1,3}|:|>)\s{0,4}(?:base64:|[A-Za-z][\w.:]{1,30}(?<!env)\((?=["'])|(?:@|\$@?|[NrRbBuU])(?=["']))?`,
  // What a variable has when the environment lacks it, `<-` of R, the next element of a property list
  String.raw`["'\`\])]{0,3}\s{0,2}(?:\|\||\?\?|<-|or)\s{1,3}(?=["'\`])`,
  String.raw`</key>\s{1,40}<string>`,
  String.raw`>\s{0,40}<value>`,
  // The first item of a list; those after it are searched for behind it
  String.raw`(?<list>["'\`]?\s{0,4}[:=]>?\s{0,4}(?:[[({]\s{0,40}(?=["'])|\r?\n\s{1,20}-\s{1,4}))`,
  // A property of C#, a setter or an annotation, a definition of C or Clojure
  String.raw`\s{0,2}\{\s?get;[^}\n]{0,30}\}\s{0,3}=\s{0,3}`,
  String.raw`(?:\(|\s{1,4})(?=["'])`,
  String.raw`(?<comma>["'\`][ \t]{0,3},[ \t]{0,20}(?=["'\`]))`,
].join('|');

/**
 * A value that is assigned to such a name, in any language: `apiKey = "..."`, `password: ...`, `"token": "..."`,
 * `SECRET=...`, `<password>...</password>`, `apiKey: string = '...'`, `define('DB_PASSWORD', '...')`.
 */
const ASSIGNMENT = new RegExp(
  [
    `(?<name>${SECRET_NAME})`,
    String.raw`(?<more>[\w-]{0,30})`,
    `(?:${BETWEEN})`,
    String.raw`(?<quote>["'\`]?)${VALUE}`,
  ].join(''),
  'gi',
);

/**
 * A name and its value in two attributes or fields: `<add key="Password" value="..."/>`, `name: DB_PASSWORD` and below it
 * `value: ...`.
 */
const NAMED_VALUE = new RegExp(
  [
    String.raw`(?:\b(?:name|key|id)["']?\s{0,2}[:=]\s{0,2}["']?|<)[\w.:-]{0,60}?(?<name>${SECRET_NAME})`,
    String.raw`(?<more>[\w-]{0,30})["']?[,;]?\s{0,40}["']?\b(?:default)?value["']?\s{0,2}[:=]\s{0,2}`,
    String.raw`(?<quote>["']?)(?<value>[^\s"'<>]{6,300})`,
  ].join(''),
  'gi',
);
/** An environment or a place after the name of a password: `PASSWORD_PROD`, `password-db2`. */
const PLACE = /^[_-][A-Za-z0-9_-]{1,30}$/;

/** Every match contains one of them; texts without are not searched. */
const HINTS = /pass|pwd|psk|secret|token|key|auth|credential|connection/i;

/** Passwords that a person chose are short and simple, so the whole name must say that it is a password. */
const PASSWORD_NAME = /^(?:passwords?|passwd|passphrase|pass|pwd|psk)$/i;
const CHOSEN_NAME = /^(?:secrets?|(?:secret|session|jwt|app|auth)[_-]?keys?(?:_?base)?)$/i;
const MIN_PASSWORD_LENGTH = 8;
const LONGEST_NAME = 100;

/** Endings of names for things around a secret: its length, its file, its hash. */
const ABOUT_SECRETS = new RegExp(
  '(?:^|[_-])(?:s?(?:count|length|size|limit|budget|usage|bytes|seconds|ttl|expiry|expires?\\w*|type|kind|name|names|file|' +
    'path|dir|url|uri|endpoint|hash|sha\\w*|digest|field|column|header|prefix|suffix|pattern|regex|rules?|policy|provider|' +
    'store|manager|service|id|ids|ref|refs|version|label|hint|help|error|invalid|required|missing))$',
  'i',
);

/** Finds generated secrets and chosen passwords by the names that they are assigned to. */
export function findAssignments(text: string): SecretFinding[] {
  if (!HINTS.test(text)) return [];
  const found: SecretFinding[] = [];
  for (const match of [...text.matchAll(ASSIGNMENT), ...text.matchAll(NAMED_VALUE)]) {
    const { name = '', more = '', quote = '', quoted, comma, list } = match.groups ?? {};
    const value = quoted ?? match.groups?.['value'] ?? '';
    const end = match.index + match[0].length;
    if (ABOUT_SECRETS.test(more) || !isValue(value, quote, text[end] ?? '\n')) continue;
    if (/(?:public|csrf|xsrf)[_-]?$/i.test(startOfName(text, match.index))) continue;
    if (!isOwnWord(name, text, match.index)) continue;
    // Two arguments are often two names.
    if (comma !== undefined && !isChosenPasswordInCode(value)) continue;
    // The variable or class of that name: `"V1SecretEnvSource": V1SecretEnvSource`.
    if (quote === '' && value === startOfName(text, match.index) + name + more) continue;
    const isNamedPassword = PASSWORD_NAME.test(name) && (more === '' || PLACE.test(more));
    const isChosenByName = isNamedPassword || CHOSEN_NAME.test(name + more);
    // The text of an element ends as surely as a text in quotes.
    const isDelimited = quote !== '' || text.startsWith('</', end);
    if (!isGenerated(value) && !isChosenSecret(value) && !(isChosenByName && isPassword(value, isDelimited)))
      continue;
    const rule = isNamedPassword ? 'password' : 'secret-assignment';
    found.push({ rule, start: end - value.length, end });
    if (list !== undefined) found.push(...itemsAfter(text, end, rule));
  }
  return found;
}

/** What separates an item from the next one, in a list in brackets or with one item on each line. */
const NEXT_ITEM =
  /["'`]?(?:\s{0,4},\s{0,40}["'`]|\r?\n\s{1,20}-\s{1,4}["']?)(?<item>[^\s"'`,]{5,300})(?=["'`]|\s)/y;

/** Items may begin lists themselves, so that no limit would mean to read the rest of a text for each. */
const MOST_ITEMS = 100;

/** The other secrets of a list, when its first item is one. */
function itemsAfter(text: string, from: number, rule: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  NEXT_ITEM.lastIndex = from;
  for (let count = 0; count < MOST_ITEMS; count += 1) {
    const match = NEXT_ITEM.exec(text);
    if (match === null) break;
    const item = match.groups?.['item'] ?? '';
    const end = match.index + match[0].length;
    if (isGenerated(item) || isChosenPassword(item)) found.push({ rule, start: end - item.length, end });
  }
  return found;
}

/** What a longer name has before the part that announces a secret. */
function startOfName(text: string, end: number): string {
  return /[\w$]*$/.exec(text.slice(Math.max(0, end - LONGEST_NAME), end))?.[0] ?? '';
}

/** An address, a path, an encrypted value (a sealed secret), a hash of a password. */
const NOT_PLAIN =
  /^(?:https?:|arn:|[A-Za-z]:\\|Ag[A-D][A-Za-z0-9+/]{100})|\$(?:apr1|2[abxy]|[156y]|argon2\w{1,2}|scrypt|pbkdf2[\w-]{0,10})\$/;
/** Short passwords such as `s3cr3t` have as few; what is no password has its own limits. */
const FEW_DISTINCT = 4;
const STARTS_EXPRESSION = /^[$%@&*!?|/.~#=<([{]/;
const STARTS_REFERENCE = /^(?:[$%@/.~#<([{]|[&?|]\W)/;

/** False for a placeholder, call, index, part of an expression, reference to a secret, or type. */
function isValue(value: string, quote: string, next: string): boolean {
  if (isPlaceholder(value, FEW_DISTINCT) || NOT_PLAIN.test(value)) return false;
  // Generated passwords of any signs are in quotes.
  if ((quote === '' ? STARTS_EXPRESSION : STARTS_REFERENCE).test(value)) return false;
  if (/\$\{|\{\{|#\{|%\(\w+\)[sd]/.test(value)) return false;
  if (quote !== '') return next === quote;
  const isExpression =
    '([{'.includes(next) || /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+[!?]?$/.test(value);
  return !isExpression;
}

/** Whether a value has the length of a chosen password, and special characters or letters and digits that alternate. */
function isChosenSecret(value: string): boolean {
  if (value.length < 10 || !/\d.*\d/.test(value) || !/[A-Z]/.test(value) || !/[a-z]/.test(value))
    return false;
  return /^[\w!@#$%^&*+=?~]+$/.test(value) && isMixed(value) && !/_/.test(value);
}

/** Without quotes and outside a setting, code may stand there. */
function isPassword(value: string, isDelimited: boolean): boolean {
  if (isDelimited) return isChosenPassword(value);
  return value.length >= MIN_PASSWORD_LENGTH && isMixed(value) && isChosenPasswordInCode(value);
}
