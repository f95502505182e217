/** Generated secrets have as much entropy as 16 random hex digits, in bits per character; words of code have less. */
const MIN_GENERATED_LENGTH = 16;
const MIN_ENTROPY = 3;

/** Whether a text is not only words and numbers: its signs are those of passwords, or letters and digits alternate. */
export function isMixed(value: string): boolean {
  if (!isWord(value)) return true;
  if (!/\d/.test(value)) return false;
  return (/[!#%*^~@$&+]/.test(value) && !/&&|\|\|/.test(value)) || CHOSEN.test(value);
}

/** The usual form of chosen passwords: a capital, small letters, a special character and digits, in groups; not `Name_1` and `Step-2`. */
const CHOSEN = /^(?=.*[A-Z])(?=.*[a-z])(?=(?:.*\d){2})[A-Za-z0-9]{2,}(?:[-_.][A-Za-z0-9]{2,}){1,4}$/;

export function isGenerated(value: string): boolean {
  if (value.length < MIN_GENERATED_LENGTH || !/\d/.test(value) || !/[A-Za-z]/.test(value)) return false;
  return !isWord(value) && entropyOf(value) >= MIN_ENTROPY;
}

const MIN_RANDOM_LENGTH = 20;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const HEX = /^[0-9a-f]+$/i;

/**
 * Whether a value is random beyond doubt, so that a vague name suffices: small and capital letters and digits change places
 * more often than in names of code. A UUID is an id; hex digits are often a digest, so they need a name.
 */
export function isRandom(value: string): boolean {
  if (value.length < MIN_RANDOM_LENGTH || UUID.test(value) || HEX.test(value) || isWord(value)) return false;
  return changesOf(value) >= value.length * 0.35 && entropyOf(value) >= MIN_ENTROPY;
}

/** Whether letters change between small and capital more often than in names of code; at least ten. */
export function isShuffled(value: string): boolean {
  return /^[A-Za-z0-9]{10,}$/.test(value) && changesOf(value) >= value.length * 0.4;
}

/** Whether groups of digits are everywhere in a value, as in no name of code. */
export function isAlternating(value: string): boolean {
  const groups = value.match(/\d+/g)?.length ?? 0;
  return groups >= Math.max(4, value.length / 9) && entropyOf(value) >= MIN_ENTROPY;
}

/** The places where a letter follows a digit, a small letter a capital, and so on. */
function changesOf(value: string): number {
  let changes = 0;
  for (let index = 1; index < value.length; index += 1)
    if (kindOf(value.charCodeAt(index)) !== kindOf(value.charCodeAt(index - 1))) changes += 1;
  return changes;
}

function kindOf(code: number): number {
  if (code >= 97 && code <= 122) return 1;
  if (code >= 65 && code <= 90) return 2;
  return code >= 48 && code <= 57 ? 3 : 4;
}

/** Words of code and prose, also with numbers: `parseToken2`, `sha256-of-file`, `TOKEN_V2`. */
function isWord(value: string): boolean {
  const words = value.split(/[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])/).filter((word) => word !== '');
  return words.every((word) => /^(?:[A-Za-z]{1,20}\d{0,4}|\d{1,4}[A-Za-z]{0,3})$/.test(word));
}

/** Bits per character. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
