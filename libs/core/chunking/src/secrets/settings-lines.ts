import { isChosenPassword, isChosenPasswordInCode, isOwnWord } from './chosen-passwords.js';
import { type SecretFinding } from './finding.js';

/** Names that announce a value that a person may have chosen. */
const NAME =
  /pass(?:words?|wort|wd|phrase|code)?|mot[_ ]de[_ ]passe|contrase[ñn]a|kennwort|wachtwoord|pwd|psk|pw(?=[\s:="'])|secret(?:[_.-]?key(?:[_.-]?base)?)?/gi;

/** From the end of a name: `=`, `: ` and the value, up to the end of the line, a comment, or the next of several fields. */
const REST =
  /(?<place>[_-][\w-]{1,30}|\d{1,2}(?!\d))?["']?(?<between>[ \t]{0,20}[:=][ \t]{0,10})(?<value>[^\s"'`][^\s`]{4,200})/y;

/** What a line may have before the name when it is nothing but a setting: marks of lists and comments, words of shells. */
const SETTING =
  /^[ \t]{0,40}(?:(?:[-*#>+]|\/\/|export|set|local|readonly|declare|ENV|ARG)[ \t]{1,4}){0,2}["']?[\w.[\]-]{0,80}$/;
const AFTER_SETTING = /^,?[ \t]{0,10}(?:\r?\n|$|(?:#|\/\/|;)[ \t])/;
/** What ends one of several fields: `Server=db;Password=...;`, `host=db password=... user=a`, `?user=a&password=...`. */
const FIELD_END = /[;&"'`<>(){}|,]/;

/** Endings of names that say where a secret is, not what it is. */
const ABOUT =
  /(?:file|path|dir|name|type|hash|policy|length|ref|url|field|id|min|max|version|label|hint|class|rounds?|regex|pattern|expir\w*|mode|algorithm|env|var|store|manager|provider)$/i;
/** The longest name and its line's beginning. */
const LONGEST_BEFORE = 140;

/** Finds passwords in lines of settings and in lists of fields, where a value needs no quotes. */
export function findSettings(text: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  for (const { index, 0: name } of text.matchAll(NAME)) {
    if (!isOwnWord(name, text, index)) continue;
    REST.lastIndex = index + name.length;
    const match = REST.exec(text);
    if (match === null) continue;
    const { place = '', between = '', value = '' } = match.groups ?? {};
    if (ABOUT.test(place)) continue;
    const end = index + name.length + match[0].length;
    const start = end - value.length;
    const setting = { name: name + place, value, isTight: between === '=' };
    const length = lengthOf({
      ...setting,
      before: lineBefore(text, index),
      after: text.slice(end, end + 20),
    });
    if (length > 0) found.push({ rule: 'password', start, end: start + length });
  }
  return found;
}

/** The line up to the name; only its end if it is longer than a setting. */
function lineBefore(text: string, end: number): string {
  const before = text.slice(Math.max(0, end - LONGEST_BEFORE), end);
  return before.slice(before.lastIndexOf('\n') + 1);
}

interface Setting {
  before: string;
  name: string;
  value: string;
  after: string;
  /** Whether there are no blanks around `=`. */
  isTight: boolean;
}

/** The length of the password within the value; 0 for none. */
function lengthOf({ before, name, value, after, isTight }: Setting): number {
  if (SETTING.test(before) && AFTER_SETTING.test(after)) {
    const whole = value.replace(/["',]+$/, '');
    // In capitals and without blanks it is a variable of the environment, never code.
    const isEnvironment = isTight && /^[A-Z0-9_]*$/.test((/[\w.[\]-]*$/.exec(before)?.[0] ?? '') + name);
    if (isEnvironment ? isChosenPassword(whole) : isChosenPasswordInCode(whole)) return whole.length;
  }
  if (!isTight) return 0;
  const fieldEnd = value.search(FIELD_END);
  const field = fieldEnd === -1 ? value : value.slice(0, fieldEnd);
  const next = value[field.length] ?? after[0] ?? '\n';
  return /[;&"'`<\s|]/.test(next) && isChosenPasswordInCode(field) ? field.length : 0;
}
