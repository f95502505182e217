/** The position of a secret. The secret itself never leaves the scan. */
export interface SecretFinding {
  /** Name of the rule in kebab case; replaces the secret. */
  rule: string;
  start: number;
  /** Exclusive. */
  end: number;
}

/** A value with fewer distinct characters is a placeholder: `xxxxxxxxxxxx`, `12341234`. */
const MIN_DISTINCT = 6;
/** A placeholder may have a number after its words: `changeme123`. */
const LONGEST_REST = 4;

/**
 * Whether a value only stands for a secret. A word such as `example` inside a longer value proves nothing, so the value
 * must consist of such words.
 */
export function isPlaceholder(value: string, minDistinct = MIN_DISTINCT): boolean {
  if (new Set(value).size < minDistinct || FILLER.test(value) || DOCUMENTED_KEY.test(value)) return true;
  const withoutNouns = value.replace(NOUN, '');
  if (lengthOf(withoutNouns) === 0) return true;
  if (CLEAR_WORD.test(value)) return lengthOf(withoutNouns.replace(CLEAR_WORDS, '')) <= LONGEST_REST;
  return WEAK_WORD.test(value) && lengthOf(withoutNouns.replace(WEAK_WORDS, '')) === 0;
}

/** Letters, digits and signs that a generated value may have. */
function lengthOf(rest: string): number {
  return rest.replace(/[\s_.<>[\]{}()'"-]/g, '').length;
}

const CLEAR_WORD =
  /example|change[_-]?me|placeholder|dummy|redacted|your|insert|replace|fake|sample|todo|goes[_-]?here/i;
const CLEAR_WORDS = new RegExp(`${CLEAR_WORD.source}|here|with|this|me|my|the|a|some`, 'gi');
const WEAK_WORD = /(?:^|[^a-z])(?:my|the|some)[_-]/i;
const WEAK_WORDS = /my|the|some|own|here/gi;
const NOUN =
  /passwords?|passwd|passphrase|pass|pwd|secrets?|tokens?|credentials?|keys?|values?|api|access|private|client|auth|user(?:name)?|admin|db|database|app|glpat|gh[pousr]|github|gitlab|pat|xox[a-z]|sk|pk|live|test/gi;
/** Runs of one character, and signs that no generated secret has. */
const FILLER = /(?<run>[x*.0])\k<run>{7}|xxxx-xxxx|\*\*\*\*|\.\.\./i;
/** The keys of the documentation of AWS. */
const DOCUMENTED_KEY = /^(?:A[KS]IA[A-Z0-9]{9}|wJalrXUtnFEMI\/[\w/+]{16,24})EXAMPLE(?:KEY)?$/;
