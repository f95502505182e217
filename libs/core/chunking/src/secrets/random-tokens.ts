import { isPlaceholder, type SecretFinding } from './finding.js';
import { isAlternating, isGenerated, isRandom } from './randomness.js';

const SHORTEST = 22;
/** Longer runs are images, fonts and compiled code. */
const LONGEST = 200;
/** Before a value, so much of its line says what it is. */
const BEFORE = 60;

/** Letters and digits, `-` and `_`; by character code. */
const IN_RUN = Uint8Array.from({ length: 128 }, (_, code) => Number(/[\w-]/.test(String.fromCharCode(code))));

const SEGMENTS = /[A-Za-z][\w-]{0,11}[.~](?:[\w-]{4,64}\.){0,2}$/;
const KEY_REACH = 600;
const LONGEST_SEGMENTS = 160;

/** What is before and after a value: quotes, signs of assignment, blanks. Not a path, a host or a part of base64. */
const BEFORE_VALUE = '"\'`=: \t\n(,';
const AFTER_VALUE = '"\'` \t\r\n;,)&';

/** Words that say that a value is public: a digest, an id, a public key. */
const PUBLIC =
  /(?:sha-?\d|md5|integrity|hash|digest|checksum|x5[tc]|e?tag|signature|fingerprint|pub(?:lic)?|cert\w*|verif\w*|site[_-]?key|nonce|base64|commit|revision|\brev|\bref|version|build|boundary|thumbprint|serial|address|cursor|\bh1:|ssh-\w+|recipient|encrypted\w*|ciphertext|\bdid:\w+)[\w"'\s:=(,[-]{0,30}$|(?:\bids?|\bguid|uuid|Ids?|_ids?|_ID)["']?\s{0,3}[:=]\s{0,3}["'`]?$/i;

/** How the public keys of SSH begin in base64. */
const PUBLIC_KEY = /^AAAA(?:B3NzaC1|C3NzaC1|E2VjZHNh|G3NrL|I)/;
/** A sealed secret of Kubernetes, an address of IPFS. */
const NO_SECRET = /^Ag[A-D][A-Za-z0-9]{60}|^Qm[1-9A-Za-z]{44}$/;

/** A prefix of a vendor, with `_`, or one that says that a secret follows, and hex digits or a UUID. */
const PREFIXED =
  /^(?:[a-z]{2,8}_\d{5,12}_[A-Z0-9]{24,}|[A-Za-z][A-Za-z0-9]{1,11}_(?:live_|prod_|test_|secret_)?[0-9a-f]{32,}|(?:[a-z]{1,12}[-_]){0,2}(?:sdk|api|key|secret|token|access|live|prod|production|seck|flwseck|mob)[-_](?:[a-z]{1,12}[-_])?(?:[0-9a-f]{32,}(?:-X)?|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}))$/i;
/** A prefix and small letters and digits that change places: `pnu_ys5k7z0hliy4...`; or a prefix and a UUID. */
const PREFIXED_RANDOM =
  /^(?:[a-z][a-z0-9]{0,11}[-_]){1,3}(?:(?<random>[a-z0-9]{20,}|[A-Z0-9]{20,}|[0-9a-f]{32,}(?:[-_][0-9a-f]{8,})?)|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;
/** Prefixes of ids, digests and names of files and objects. */
const NO_SECRET_PREFIX =
  /^(?:(?:[a-z0-9]{1,12}[-_]){0,2}(?:id|uid|uuid|guid|ref|hash|sha\d*|md5|sum|digest|etag|rev|commit|build|version|chunk|bundle|asset|file|img|image|blob|css|js|sourcemap|font|icon|cache|dist|deploy\w*|release|branch|tag|req|request|res|resp|response|trace|span|session|sess|user|usr|account|acct|customer|cus|cust|org|team|project|proj|workspace|event|evt|msg|message|chat|chatcmpl|thread|run|job|task|step|batch|call|tool|toolu|asst|order|invoice|inv|in|pi|pm|ch|txn|tx|price|prod|product|plan|sub|item|sku|cart|node|pod|instance|i|vol|snap|ami|vpc|subnet|sg|eni|rtb|igw|container|cluster|host|device|test|tmp|temp|part|row|col|page|post|comment|doc|document|object|entity|group|role|policy|component|element|el|radix|headlessui|mui|jsx?|sc|svelte|data|v|ng|r|x|ip|mac|addr|address|pub|public|pk|cert|fingerprint|nonce|state|boundary|webkitformboundary|arn|cid|peer|block|contract|wallet|account)[-_])/i;
const NO_VENDOR = /^(?:sha|md5|build|chunk|cache|commit|rev|ref|v\d|css|id|hash|img|image|file|trace|span)/i;

/** Names of secrets, and of much else, so that they count only before digits that no code has. */
const VAGUE_NAME =
  /(?:key|pat|bearer|auth|cookie|login|sess(?:ion)?_?id)["'`]?\s{0,3}(?::?=>?|:)\s{0,3}["'`]?$/i;
/** The key of something, in code or in the environment, with a value in quotes or close to the sign. */
const KEY_NAME = /(?:[A-Z\d]_KEY|[a-z\d]Key|[a-z\d]_key)(?:\s?:?=\s?["'`]|=|["']?:\s?["'])$/;
const OTHER_KEY =
  /(?:pub(?:lic|lishable)?|site|primary|foreign|partition|sort|cache|translation|object|storage|idempotency|row|host|group|index|lookup|query|unique|merge|react|item|path)[_-]?key\W*$/i;
const LONG_DIGITS =
  /^(?:[0-9a-f]{32,128}|[0-9a-f]{32}(?:-[0-9a-f]{8}){1,2}|[0-9A-F]{32,128}|(?=(?:[a-z]*\d){3})[a-z0-9]{40,100}|(?=(?:[A-Z]*\d){3})[A-Z0-9]{40,100})$/;

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
    if (size >= SHORTEST && size <= LONGEST) {
      const first = startOfSegments(text, start);
      if (isToken(text, first, start, end)) found.push({ rule: 'random-token', start: first, end });
    }
    if (end > probe + SHORTEST) probe += Math.floor((end - probe - 1) / SHORTEST) * SHORTEST;
  }
  return found;
}

function isInRun(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code < 128 && IN_RUN[code] === 1;
}

/** Short words and other random runs before a dot, as in `SG.<random>` and `pat.<id>.<id>.<random>`. */
function startOfSegments(text: string, start: number): number {
  if (text[start - 1] !== '.' && text[start - 1] !== '~') return start;
  const before = text.slice(Math.max(0, start - LONGEST_SEGMENTS), start);
  return start - (SEGMENTS.exec(before)?.[0].length ?? 0);
}

function isToken(text: string, first: number, start: number, end: number): boolean {
  if (!BEFORE_VALUE.includes(text[first - 1] ?? '\n') || !AFTER_VALUE.includes(text[end] ?? '\n'))
    return false;
  const value = text.slice(start, end);
  if (!/\d.*\d/.test(value)) return false;
  const isVague = LONG_DIGITS.test(value);
  const isKnownForm =
    (PREFIXED.test(value) && !NO_VENDOR.test(value)) ||
    isPrefixedRandom(value) ||
    isDotted(text[first - 1], first < start, value);
  const isSure = isKnownForm || isRandomWithCapitals(value);
  if (!isSure && !isVague && !isGenerated(value)) return false;
  const lineStart = Math.max(text.lastIndexOf('\n', first - 1) + 1, first - BEFORE);
  const before = text.slice(lineStart, first);
  if (!isSure && !isNamedKey(before, isVague)) return false;
  // A line of base64, as in a certificate, says nothing about itself.
  if (!isKnownForm && before.trim() === '' && /^\s*(?:\n|$)/.test(text.slice(end, end + 20))) return false;
  // A part of a longer text in quotes: `"..." +` and a line break.
  if (/^["'`]\s{0,3}[+.\\]?\s{0,3}\n\s{0,40}["'`]/.test(text.slice(end, end + 60))) return false;
  return (
    !PUBLIC.test(before) &&
    !PUBLIC_KEY.test(value) &&
    !NO_SECRET.test(value) &&
    !isPlaceholder(value) &&
    !isPublicKeyPart(text, before, end)
  );
}

function isNamedKey(before: string, isVague: boolean): boolean {
  if (OTHER_KEY.test(before)) return false;
  return KEY_NAME.test(before) || (isVague && VAGUE_NAME.test(before));
}

/** A part of a public key in JSON: `"kty": "EC", "x": "..."`. */
function isPublicKeyPart(text: string, before: string, end: number): boolean {
  return (
    /"[xyn]":\s{0,2}"$/.test(before) &&
    text.slice(Math.max(0, end - KEY_REACH), end + KEY_REACH).includes('"kty"')
  );
}

function isPrefixedRandom(value: string): boolean {
  const match = PREFIXED_RANDOM.exec(value);
  if (match === null || NO_SECRET_PREFIX.test(value)) return false;
  const { random } = match.groups ?? {};
  return random === undefined || isAlternating(random);
}

/** After short words and dots, in quotes or after a sign: elsewhere it is the name of a field. */
function isDotted(before: string | undefined, hasDots: boolean, value: string): boolean {
  if (!hasDots || !/["'`=:]/.test(before ?? '') || /[A-Z]{5}|[a-z]{5}|^[0-9a-f]+$/.test(value)) return false;
  return isAlternating(value);
}

/** Ids and digests have small letters or capitals only; names of code consist of words. */
function isRandomWithCapitals(value: string): boolean {
  if (!/\d.*\d/.test(value) || !/[a-z].*[a-z]/.test(value) || !/[A-Z].*[A-Z]/.test(value)) return false;
  if (NO_SECRET_PREFIX.test(value)) return false;
  const withoutWords = value.replace(/[A-Z]?[a-z]{3,}|[A-Z]{4,}|[-_]/g, '').length;
  return withoutWords >= value.length / 2 && isRandom(value);
}
