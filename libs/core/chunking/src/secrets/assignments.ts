import { beginsWithSign, isChosenPassword, isChosenPasswordInCode, isOwnWord } from './chosen-passwords.js';
import { isPlaceholder, type SecretFinding } from './finding.js';
import { isGenerated, isMixed } from './randomness.js';

/** `password` in other languages. */
const FOREIGN_NAME = 'passwort|kennwort|wachtwoord|mot[_ ]?de[_ ]?passe|contrase[ñn]a|senha';
/** Names that announce a secret. The beginning of a longer name does not matter and is not matched. */
const SECRET_NAME = [
  `passwords?|passwd|passphrase|passcode|pass(?![a-z])|pwd|pw(?![a-z])|${FOREIGN_NAME}|secrets?(?:\\.key)?|tokens?|credentials?`,
  'api[._-]?keys?|access[._-]?keys?|connection[_-]?string',
  'psk|pre[_-]?shared[_-]?key|auth(?=["\'])',
  '(?:private|auth|client|encryption|signing|master|license|account|storage|service|shared|secret|session|app|jwt|hmac|aes|unseal|root|server|live|sdk|webhook|license|recovery|cipher|crypt|crypto|fernet|vault|data|backup)[_-]?keys?',
  '(?:totp|otp|mfa)[_-]?(?:seed|key)|erlang[._-]?cookie',
  // A key below a word for what it is used for: `"Jwt": { "Key": "..." }`
  `(?:jwt|hmac|crypt|encryption|signing|cipher)["']?\\s{0,3}(?::|=>?)\\s{0,3}[[{(]\\s{0,20}["']?(?:secret_?)?key(?=["':= ])`,
].join('|');

/** A value in quotes may have any sign, as generated salts do; without quotes it ends where an expression may end. */
const VALUE = String.raw`(?:(?<=["'\`])(?<quoted>[^\s"'\`]{5,300})|(?<value>[^\s"'\`,;<>(){}[\]]{5,300}))`;

/** What is between a name and its value, from the longest on: a type, an arrow or a sign, the comma of two arguments. */
const BETWEEN = [
  // What a variable of a shell has when it is not set
  String.raw`(?<fallback>:[-=](?=[^\s"'\`{}]{5,200}\}))`,
  String.raw`\??:\s{0,2}[&']{0,2}[A-Za-z][\w.<>?|[\] ]{0,30}=\s{0,3}`,
  String.raw`["'\`\])]{0,3}(?:\[\])?\s{0,20}(?:=>|(?:[.+?|]|\?\?|\|\||:{1,3})=|={1,3}|:|>)\s{0,4}(?:base64:|(?:new |\[\])?[A-Za-z][\w.:]{1,30}(?<!env)\((?:b(?=["']))?(?=["'])|(?:@|\$@?|[NrRbBuU])(?=["']))?`,
  // What a variable has when the environment lacks it, `<-` of R, the next element of a property list
  String.raw`["'\`\])]{0,3}\s{0,2}(?:\|\||\?\?|<-|or)\s{1,3}(?=["'\`])`,
  // In a shell: a text as input, the output of a command; the lines up to a mark
  String.raw`\s{1,3}<<<\s{0,3}(?=["'])`,
  String.raw`=["']?\$\((?:echo|printf)\s{1,3}(?:-\w\s{1,3})?(?=["'])`,
  String.raw`\s{0,3}=\s{0,3}<<[~-]?["']?\w{1,20}["']?\r?\n\s{0,20}`,
  // The type after the name: Go, Visual Basic, Bicep
  String.raw`[ \t]{1,3}(?:(?:As|constant)[ \t]{1,3})?[A-Za-z][\w.*]{0,20}(?:\(\d{1,4}\))?[ \t]{0,3}:?=[ \t]{0,3}(?=["'\`])`,
  // On the next line: after a continued line, in a block of YAML, in an element
  String.raw`["']?[ \t]{0,3}(?:[:=]|:=)[ \t]{0,3}\\?\r?\n[ \t]{0,24}(?=["'\`])`,
  String.raw`["']?:[ \t]{1,3}[|>][+-]?\r?\n[ \t]{1,24}`,
  String.raw`>\s{1,40}(?=[^\s<]{5,300}\s{1,40}</)`,
  // A parameter with its value, a function of a template
  String.raw`["']?[ \t]{0,3}[:=][ \t]{0,3}\{\s{0,40}["']?(?:value|default(?:Value)?)["']?[ \t]{0,3}[:=][ \t]{0,3}(?=["'])`,
  String.raw`["']?:[ \t]{1,3}![A-Z]\w{1,12}[ \t]{1,3}(?=["'])`,
  // The default of an option: `'--password', default='...'`
  String.raw`["'][ \t]{0,3},[^\n"'()]{0,60}\bdefault[ \t]{0,2}=[ \t]{0,2}(?=["'])`,
  // A row of two columns
  String.raw`,(?=[\w+/=.-]{20,200}(?:[,\s]|$))`,
  String.raw`(?:\s[\w:]{1,30}=["'][^"'\n<>]{0,120}["']){1,3}>\s{0,4}(?=[^\s<]{5,300}</)`,
  String.raw`</key>\s{0,40}<string>`,
  String.raw`>\s{0,10}<!\[CDATA\[`,
  String.raw`["']?(?:\s[\w:]{1,30}=["'][^"'\n<>]{0,40}["']){0,3}>\s{0,40}<value>`,
  String.raw`</[\w:-]{1,30}>\s{0,40}<[\w:-]{0,30}value>\s{0,10}`,
  // A map of users, a field of a form that a test fills
  String.raw`["']?[ \t]{0,3}[:=][ \t]{0,3}\{\s{0,20}["']?(?!user|name|login|type|id|e?mail|host|url|ref|file|path|desc|key["':= ])[\w.@-]{1,40}["']?\s{0,2}(?::|=>?)\s{0,3}(?=["'])`,
  String.raw`["']?\]?["']\)[^\n"'=;]{0,20}\.(?:type|fill|send_?keys|set_?value)\(\s?(?=["'])`,
  // The first item of a list; those after it are searched for behind it
  String.raw`(?<list>["'\`]?\s{0,4}[:=]>?\s{0,4}(?:[[({]\s{0,40}(?=["'])|\r?\n\s{1,20}-\s{1,4}))`,
  // A property of C#, a setter or an annotation, a definition of C or Clojure
  String.raw`\s{0,2}\{\s?get;[^}\n]{0,30}\}\s{0,3}=\s{0,3}`,
  String.raw`(?:[({]|\s{1,4})(?=["'])`,
  String.raw`(?<comma>["'\`]?[ \t]{0,3},[ \t]{0,20}(?=["'\`]))`,
].join('|');

/**
 * A value that is assigned to such a name, in any language: `apiKey = "..."`, `password: ...`, `"token": "..."`,
 * `SECRET=...`, `<password>...</password>`, `apiKey: string = '...'`, `define('DB_PASSWORD', '...')`.
 */
const ASSIGNMENT = new RegExp(
  [
    `(?<name>${SECRET_NAME})`,
    // The name is complete, so that no shorter one is tried.
    String.raw`(?<more>[\w-]{0,30})(?![\w-])`,
    `(?:${BETWEEN})`,
    String.raw`(?<quote>"{3}|'{3}|["'\`]?"?)${VALUE}`,
  ].join(''),
  'gi',
);

/**
 * A name and its value in two attributes or fields: `<add key="Password" value="..."/>`, `name: DB_PASSWORD` and below it
 * `value: ...`.
 */
const NAMED_VALUE = new RegExp(
  [
    String.raw`(?:(?:\b|parameter_?|option_?|variable_?)(?:name|key|id)["']?\s{0,2}[:=]\s{0,2}["']?|<)[\w.:-]{0,60}?(?<name>${SECRET_NAME})`,
    String.raw`(?<more>[\w-]{0,30})["']?[,;]?\s{0,40}["']?\b(?:default|parameter_?|option_?|variable_?)?value["']?\s{0,2}[:=]\s{0,2}`,
    String.raw`(?<quote>["']?)(?<value>[^\s"'<>]{6,300})`,
  ].join(''),
  'gi',
);
/** An environment or a place after the name of a password: `PASSWORD_PROD`, `password-db2`. */
const PLACE = /^(?:[_-][A-Za-z0-9_-]{1,30}|\d{1,2})$/;

/** Every match contains one of them; texts without are not searched. */
const HINTS =
  /pass|pwd|pw\b|psk|secret|token|key|auth|credential|connection|kennwort|wachtwoord|contrase|senha/i;

/** Passwords that a person chose are short and simple, so the whole name must say that it is a password. */
const PASSWORD_NAME = new RegExp(
  `^(?:credentials?|passwords?|passwd|passphrase|passcode|pass|pwd|pw|psk|${FOREIGN_NAME})$`,
  'i',
);
/** The same at the end of a longer name: `secret_pass`. */
const ENDS_AS_PASSWORD = /[_-](?:password|passwd|passphrase|pass|pwd|pw)$/i;
const CHOSEN_NAME = /^(?:secrets?|(?:secret|session|jwt|app|auth)[_-]?keys?(?:_?base)?)$/i;
const MIN_PASSWORD_LENGTH = 8;
const LONGEST_NAME = 100;

/** Endings of names for things around a secret: its length, its file, its hash. */
const ABOUT_SECRETS = new RegExp(
  '(?:^|[_-])(?:s?(?:count|length|size|limit|budget|usage|bytes|seconds|ttl|expiry|expires?\\w*|type|kind|name|names|file|' +
    'path|dir|url|uri|endpoint|hash|sha\\w*|digest|field|column|header|prefix|suffix|pattern|regex|rules?|policy|provider|' +
    'store|manager|validators?|service|id|ids|ref|refs|version|label|hint|help|error|invalid|required|missing))$',
  'i',
);

/** Finds generated secrets and chosen passwords by the names that they are assigned to. */
export function findAssignments(text: string): SecretFinding[] {
  if (!HINTS.test(text)) return [];
  return [...findIn(text), ...findEscaped(text)];
}

function findIn(text: string): SecretFinding[] {
  return [...findBy(ASSIGNMENT, text), ...findBy(NAMED_VALUE, text)];
}

const ESCAPED = '\\"';
/** Longer lines are compiled code. */
const LONGEST_ESCAPED = 10_000;

/** Assignments inside of a string, as the cells of notebooks are: `"api_key = \\"...\\""`. */
function findEscaped(text: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  for (let at = text.indexOf(ESCAPED); at !== -1;) {
    const start = text.lastIndexOf('\n', at) + 1;
    const end = (text.indexOf('\n', at) + 1 || text.length + 1) - 1;
    const line = text.slice(start, end);
    if (line.length <= LONGEST_ESCAPED && HINTS.test(line))
      for (const { rule, ...place } of findIn(line.replaceAll(ESCAPED, '"')))
        found.push({
          rule,
          start: start + escapedIndex(line, place.start),
          end: start + escapedIndex(line, place.end),
        });
    at = text.indexOf(ESCAPED, end);
  }
  return found;
}

/** Where the character of a line is that has this index when its quotes are not escaped. */
function escapedIndex(line: string, index: number): number {
  let escapes = 0;
  for (
    let at = line.indexOf(ESCAPED);
    at !== -1 && at - escapes < index;
    at = line.indexOf(ESCAPED, at + ESCAPED.length)
  )
    escapes += 1;
  return index + escapes;
}

function findBy(pattern: RegExp, text: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  pattern.lastIndex = 0;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const findings = findingsOf(match, text);
    found.push(...findings);
    // What stands where a value stands may be the next name: `"secrets": { "api_secret": "..." }`.
    if (findings.length === 0) pattern.lastIndex = match.index + lengthOfNames(match);
  }
  return found;
}

/** The secrets of one match: its value, and the further items when it begins a list. */
function findingsOf(match: RegExpExecArray, text: string): SecretFinding[] {
  const { name = '', more = '', quote = '', quoted, comma, list, fallback } = match.groups ?? {};
  const value = quoted ?? match.groups?.['value'] ?? '';
  const end = match.index + match[0].length;
  if (ABOUT_SECRETS.test(more) || !isValue(value, quote, text[end] ?? '\n')) return [];
  const startOfMatch = startOfName(text, match.index);
  // The id of a secret of AWS is no secret: `arn:aws:secretsmanager:<region>:<account>:secret:<id>`.
  if (
    text.slice(match.index - 1, match.index) === ':' &&
    /arn:aws[\w:-]{0,80}$/.test(text.slice(Math.max(0, match.index - LONGEST_NAME), match.index))
  )
    return [];
  if (/(?:public(?:key)?|csrf|xsrf)[_-]?$/i.test(startOfMatch) || !isOwnWord(name, text, match.index))
    return [];
  // Two arguments are often two names.
  if (comma !== undefined && !isChosenPasswordInCode(value)) return [];
  // The variable or class of that name: `"V1SecretEnvSource": V1SecretEnvSource`.
  if (quote === '' && value === startOfMatch + name + more) return [];
  const isNamedPassword =
    (PASSWORD_NAME.test(name) && (more === '' || PLACE.test(more))) || ENDS_AS_PASSWORD.test(more);
  const isChosenByName = isNamedPassword || CHOSEN_NAME.test(name + more);
  // The text of an element ends as surely as a text in quotes.
  const isDelimited =
    quote !== '' || fallback !== undefined || /^\s{0,40}(?:<\/|\]\]>)/.test(text.slice(end, end + 42));
  if (!isGenerated(value) && !isChosenSecret(value) && !(isChosenByName && isPassword(value, isDelimited)))
    return [];
  const rule = isNamedPassword ? 'password' : 'secret-assignment';
  const first = { rule, start: end - value.length, end };
  return list === undefined ? [first] : [first, ...itemsAfter(text, end, rule)];
}

/** Up to the end of the name, where the search for the next one may begin. */
function lengthOfNames(match: RegExpExecArray): number {
  const { name = '', more = '' } = match.groups ?? {};
  return match[0].indexOf(name) + name.length + more.length;
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
  const isReference = (quote === '' ? STARTS_EXPRESSION : STARTS_REFERENCE).test(value);
  if (isReference && (quote === '' || !beginsWithSign(value))) return false;
  if (/\$\{|\{\{|#\{|%\(\w+\)[sd]/.test(value)) return false;
  if (quote !== '') return next === quote.at(-1);
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
