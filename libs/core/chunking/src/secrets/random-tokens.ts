import { isPlaceholder, type SecretFinding } from './finding.js';
import { isRandom } from './randomness.js';

const SHORTEST = 22;
/** Longer runs are images, fonts and compiled code. */
const LONGEST = 200;
/** Before a value, so much of its line says what it is. */
const BEFORE = 60;

/** Letters and digits, `-` and `_`; by character code. */
const IN_RUN = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w-]/.test(String.fromCharCode(code))));

/** What is before and after a value: quotes, signs of assignment, blanks. Not a path, a host or a part of base64. */
const BEFORE_VALUE = '"\'`=: \t\n(,';
const AFTER_VALUE = '"\'` \t\r\n;,)&';

/** Words that say that a value is public: a digest, an id, a public key. */
const PUBLIC =
  /(?:sha-?\d|md5|integrity|hash|digest|checksum|e?tag|signature|fingerprint|pub(?:lic)?|cert\w*|verif\w*|site[_-]?key|nonce|base64|commit|revision|\brev|\bref|version|build|boundary|thumbprint|serial|address|cursor|\bh1:|ssh-\w+|recipient|encrypted\w*|ciphertext)[\w"'\s:=(,[-]{0,30}$|(?:\bids?|\bguid|uuid|Ids?|_ids?|_ID)["']?\s{0,3}[:=]\s{0,3}["'`]?$/i;

/** A prefix of a vendor, with `_`, or one that says that a secret follows, and hex digits or a UUID. */
const PREFIXED =
  /^(?:[a-z]{2,8}_\d{5,12}_[A-Z0-9]{24,}|[A-Za-z][A-Za-z0-9]{1,11}_(?:live_|prod_|test_|secret_)?[0-9a-f]{32,}|(?:[a-z]{1,12}[-_]){0,2}(?:sdk|api|key|secret|token|access|live|prod|production|seck|flwseck|mob)[-_](?:[a-z]{1,12}[-_])?(?:[0-9a-f]{32,}(?:-X)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}))$/i;
const NO_VENDOR = /^(?:sha|md5|build|chunk|cache|commit|rev|ref|v\d|css|id|hash|img|image|file|trace|span)/i;

/** Names of secrets, and of much else, so that they count only before digits that no code has. */
const VAGUE_NAME = /(?:key|pat|bearer|auth|cookie)["'`]?\s{0,3}[:=]\s{0,3}["'`]?$/i;
const OTHER_KEY =
  /(?:pub(?:lic|lishable)?|site|primary|foreign|partition|sort|cache|translation|object|storage|idempotency|row|host|group|index|lookup|query|unique|merge|react|item|path)[_-]?key\W*$/i;
const LONG_DIGITS = /^(?:[0-9a-f]{32,128}|(?=(?:[a-z]*\d){3})[a-z0-9]{40,100})$/i;

/**
 * Tokens of vendors that no rule knows: a whole value that is random beyond doubt. What a line says before the value makes it
 * public: a digest, an id, a public key.
 */
export function findRandomTokens(text: string): SecretFinding[] {
  const found: SecretFinding[] = [];
  const { length } = text;
  // Each run that is long enough has one of these characters, so that most of the text is not read.
  for (let probe = SHORTEST - 1; probe < length; probe += SHORTEST) {
    if (!isInRun(text, probe)) continue;
    let start = probe;
    while (start > 0 && probe - start <= LONGEST && isInRun(text, start - 1)) start -= 1;
    let end = probe + 1;
    while (end < length && isInRun(text, end)) end += 1;
    const size = end - start;
    if (size >= SHORTEST && size <= LONGEST && isToken(text, start, end))
      found.push({ rule: 'random-token', start, end });
    if (end > probe + SHORTEST) probe += Math.floor((end - probe - 1) / SHORTEST) * SHORTEST;
  }
  return found;
}

function isInRun(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code < 128 && IN_RUN[code] === 1;
}

function isToken(text: string, start: number, end: number): boolean {
  if (!BEFORE_VALUE.includes(text[start - 1] ?? '\n') || !AFTER_VALUE.includes(text[end] ?? '\n'))
    return false;
  const value = text.slice(start, end);
  if (!/\d.*\d/.test(value)) return false;
  const isVague = LONG_DIGITS.test(value);
  const isKnownForm = PREFIXED.test(value) && !NO_VENDOR.test(value);
  if (!isVague && !isKnownForm && !isRandomWithCapitals(value)) return false;
  const lineStart = Math.max(text.lastIndexOf('\n', start - 1) + 1, start - BEFORE);
  const before = text.slice(lineStart, start);
  if (isVague && !isKnownForm && (!VAGUE_NAME.test(before) || OTHER_KEY.test(before))) return false;
  // A line of base64, as in a certificate, says nothing about itself.
  if (before.trim() === '' && /^\s*(?:\n|$)/.test(text.slice(end, end + 20))) return false;
  return !PUBLIC.test(before) && !isPlaceholder(value);
}

/** Ids and digests have small letters or capitals only; names of code consist of words. */
function isRandomWithCapitals(value: string): boolean {
  if (!/\d.*\d/.test(value) || !/[a-z].*[a-z]/.test(value) || !/[A-Z].*[A-Z]/.test(value)) return false;
  const withoutWords = value.replace(/[A-Z]?[a-z]{3,}|[A-Z]{4,}|[-_]/g, '').length;
  return withoutWords >= value.length / 2 && isRandom(value);
}
