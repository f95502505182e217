/** A secret in a text, by position alone: what it is never leaves the scan. */
export interface SecretFinding {
  /** Name of the rule, in kebab case: it is written in the secret's place. */
  rule: string;
  start: number;
  /** Exclusive. */
  end: number;
}

/** Fewer different characters are a placeholder: `xxxxxxxxxxxx`, `12341234`. */
const LEAST_VARIETY = 6;

export function isPlaceholder(value: string): boolean {
  return new Set(value).size < LEAST_VARIETY || PLACEHOLDER_WORD.test(value);
}

const PLACEHOLDER_WORD =
  /example|changeme|change[_-]me|placeholder|dummy|redacted|(?:^|[^a-z])(?:your|my|the|some|insert|replace|fake|sample)[_-]|xxxx|\*\*\*|\.\.\./i;
