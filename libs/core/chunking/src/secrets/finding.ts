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

export function isPlaceholder(value: string): boolean {
  return new Set(value).size < MIN_DISTINCT || PLACEHOLDER_WORD.test(value);
}

const PLACEHOLDER_WORD =
  /example|changeme|change[_-]me|placeholder|dummy|redacted|(?:^|[^a-z])(?:your|my|the|some|insert|replace|fake|sample)[_-]|xxxx|\*\*\*|\.\.\./i;
