import { isPlaceholder } from './finding.js';
import { isShuffled } from './randomness.js';

/** `s3cr3t` has only four. */
const MIN_DISTINCT = 4;
const SHORTEST = 5;
const LONGEST = 200;

/** References, calls, paths, addresses, and hashes of passwords: values that name a password instead of being one. */
const REFERENCE =
  /^(?:[$%@&*?|/.~#<([{]|0x|\\[xu]|!\w|-{1,2}\w|https?:|arn:|\w{1,30}:\/\/|[A-Za-z]:\\|ENC[[(]|Ag[A-D][A-Za-z0-9+/]{100})|\$\{|\{\{|#\{|%\(\w+\)[sd]|\$\(|\$(?:apr1|2[abxy]|[156y]|argon2\w{1,2}|scrypt|pbkdf2[\w-]{0,10})\$/;
const EXPRESSION =
  /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+[!?;]*$|^[A-Za-z_$][\w$.]*[([{]|\w\)[;,]?$|[;{]$/;
/** The name of a variable or field, also with a digit. */
const NAME =
  /(?:^|[^A-Za-z]|[a-z](?=[A-Z]))(?:[Pp]ass(?:[Ww]ord|wd|phrase)?|PASS(?:WORD)?|[Pp]wd|[Ss]ecret|[Tt]oken|[Kk]ey|[Cc]redentials?|[Ss]tring|[Vv]alue)\d?$/;
/** Names of algorithms, versions, sizes and units: `sha256`, `v2`, `utf-8`, `12px`. */
const TECHNICAL =
  /^(?:(?:scram[-_])?(?:hmac|rsa|with|aes|pbkdf\d?|sha|md|utf|base|argon|oauth|http|ipv?|rfc|iso|x|v|es|rs|hs|ps|ed|p|tls|ssl|e|u?int|float|str|text|latin|win|cp|varchar|char)[-_./(]?\d+[\w.()-]{0,16}|[\d.]+[a-z]{1,8}|\d[\d.:,_-]*|[\w.-]{1,60}:\d{1,5}|[\da-f]{0,4}:[\da-f:]{2,40}(?:%\w{1,10})?)$/i;

/** Codes of errors and products: `28P01`. */
const CODE = /^[A-Z\d]{1,6}$/;

/** `Autumn!`; not the end of a sentence. */
const WORD_AND_SIGN =
  /^(?!(?:required|invalid|wrong|missing|incorrect|error|failed|success\w*|warning|welcome|hello|done|updated|changed|expired|forbidden)\b)[A-Z][a-z]{4,15}[!#$%*]{1,3}$/i;
/** Four words or more, and none that names of code have. */
const PASSPHRASE = /^[a-z]{3,10}(?:-[a-z]{3,10}){3,7}$/;
const WORD_OF_NAMES =
  /(?:^|-)(?:the|and|for|not|your|pass\w*|secret|token|key|name|user|login|log|auth|form|field|input|label|text|button|icon|page|view|error|message|reset|change|confirm|new|old|current|show|hide|toggle|password|min|max|length|service|config|default|cluster|prod\w*|dev|stag\w*|test|data|base|server|client|app|api|web|admin|db|external|internal)(?:-|$)/;

function isPassphrase(value: string): boolean {
  return PASSPHRASE.test(value) && !WORD_OF_NAMES.test(value);
}

/**
 * Whether a value that stands where only a password stands is one, and not a word, a reference or an expression. Passwords
 * that people choose are short and consist of words. So one letter is enough, with a digit, or with a sign before the end.
 */
export function isChosenPassword(value: string): boolean {
  if (value.length < SHORTEST || value.length > LONGEST || !/\p{L}/u.test(value)) return false;
  const isReference = REFERENCE.test(value) && !beginsWithSign(value);
  if (isReference || EXPRESSION.test(value) || NAME.test(value) || TECHNICAL.test(value)) return false;
  if (CODE.test(value) || isPlaceholder(value, MIN_DISTINCT)) return false;
  return (
    /\d/.test(value) ||
    /[!@#$%^&*+~](?=.*[A-Za-z0-9])/.test(value) ||
    WORD_AND_SIGN.test(value) ||
    isShuffled(/[!#$%^&*+~?@]/.test(value) ? value.replace(/[^A-Za-z0-9]/g, '') : value) ||
    isPassphrase(value)
  );
}

/** `#Y71Ij7R!RRxQ`: what follows the sign is no name of code. */
export function beginsWithSign(value: string): boolean {
  return /^[&#*%!$][^\s/.]{9,}$/.test(value) && isShuffled(value.replace(/[^A-Za-z0-9]/g, ''));
}

/** The same where code may stand too, as in `password = value2`: names of variables end in one digit, and have no signs. */
export function isChosenPasswordInCode(value: string): boolean {
  return (
    (/\d[^]*\d|[!@#$%^&*~]|[A-Za-z]\d[A-Za-z]/.test(value) || isShuffled(value)) && isChosenPassword(value)
  );
}

/** Words that are written in one with `pass`: `requirepass`, `dbpass`. */
const COMPOUND =
  /(?:require|master|root|user|db|smtp|ftp|ssh|my|mail|login|admin|store|key|bind|sudo|become|auth|http|proxy|svn|ldap)$/i;
const LONGEST_COMPOUND = 12;

/** Whether a short name is a complete word of a longer one: `pass` is in `smtp_pass` and `smtpPass`, and is not in `compass`. */
export function isOwnWord(name: string, text: string, at: number): boolean {
  if (!/^(?:pass|pw)$/i.test(name)) return true;
  const before = text[at - 1] ?? ' ';
  if (!/[A-Za-z]/.test(before) || (/[a-z]/.test(before) && name.startsWith('P'))) return true;
  return COMPOUND.test(text.slice(Math.max(0, at - LONGEST_COMPOUND), at));
}
