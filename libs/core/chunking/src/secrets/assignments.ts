import { isPlaceholder, type SecretFinding } from './finding.js';

/**
 * A value given to a name that speaks of a secret, in any language: `apiKey = "..."`, `password: ...`, `"token": "..."`,
 * `SECRET=...`, `<password>...</password>`. The name's beginning is not matched: it may be long, and says nothing.
 */
const ASSIGNMENT =
  /(?<name>passwords?|passwd|passphrase|pwd|secrets?|tokens?|api[_-]?keys?|access[_-]?keys?|(?:private|auth|client|encryption|signing|master|license|account|storage|service|shared|secret|session)[_-]?keys?|credentials?|connection[_-]?string)(?<more>[\w-]{0,30})(?<close>["'`\])]{0,3})\s{0,4}(?<sign>=>|:=|==?|:|>)\s{0,4}(?<quote>["'`]?)(?<value>[^\s"'`,;<>(){}[\]]{6,300})/gi;

const HINTS = /pass|pwd|secret|token|key|credential|connection/i;

/** What a person chose: short and simple, but known by its name. */
const CHOSEN_NAME = /^(?:passwords?|passwd|passphrase|pwd)$/i;
const SHORTEST_CHOSEN = 8;
/** What a machine made. 3.3 bits a character is what 16 random hex digits have; words of code stay below or lack digits. */
const SHORTEST_MADE = 16;
const LEAST_ENTROPY = 3.3;

/** Names of things around a secret: its length, its file, its hash. */
const ABOUT_SECRETS =
  /^[_-]?(?:s?(?:count|length|size|limit|budget|usage|bytes|seconds|ttl|expiry|expires?\w*|type|kind|name|names|file|path|dir|url|uri|endpoint|hash|sha\w*|digest|field|column|header|prefix|suffix|pattern|regex|rules?|policy|provider|store|manager|service|id|ids|ref|refs|version|label|hint|help|error|invalid|required|missing))$/i;

/** High-entropy values, and chosen passwords, that are assigned to names that say what they are. */
export function findAssignments(text: string): SecretFinding[] {
  if (!HINTS.test(text)) return [];
  const found: SecretFinding[] = [];
  for (const match of text.matchAll(ASSIGNMENT)) {
    const { name = '', more = '', quote = '', value = '' } = match.groups ?? {};
    const end = match.index + match[0].length;
    if (ABOUT_SECRETS.test(more) || !isValue(value, quote, text[end] ?? '\n')) continue;
    const isChosen = CHOSEN_NAME.test(name) && more === '';
    if (isChosen ? !isChosenSecret(value, quote) : !isMadeSecret(value)) continue;
    const rule = isChosen ? 'password' : 'secret-assignment';
    found.push({ rule, start: end - value.length, end });
  }
  return found;
}

/** Not a call, an index, a piece of a longer expression, a reference to where the secret is, a type. */
function isValue(value: string, quote: string, next: string): boolean {
  if (isPlaceholder(value) || /^(?:[$%@&*!?|/.~#=]|https?:|[A-Za-z]:\\)/.test(value)) return false;
  if (quote !== '') return next === quote;
  const isExpression =
    '([{'.includes(next) || /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)+[!?]?$/.test(value);
  return !isExpression;
}

function isChosenSecret(value: string, quote: string): boolean {
  if (value.length < SHORTEST_CHOSEN || !/[A-Za-z]/.test(value)) return false;
  return quote === '' ? /\d/.test(value) && !isWord(value) : /[\d!@#$%^&*+=?~]/.test(value);
}

function isMadeSecret(value: string): boolean {
  if (value.length < SHORTEST_MADE || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return !isWord(value) && entropyOf(value) >= LEAST_ENTROPY;
}

/** Words of code and prose, with a number here and there: `parseToken2`, `sha256-of-file`, `TOKEN_V2`. */
function isWord(value: string): boolean {
  const words = value.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).filter((word) => word !== '');
  return words.every((word) => /^(?:[A-Za-z]{1,20}\d{0,4}|\d{1,4}[A-Za-z]{0,3})$/.test(word));
}

/** Bits a character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
