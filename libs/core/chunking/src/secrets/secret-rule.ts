/** How to find secrets of one kind, or in one place. */
export interface SecretRule {
  /** Name in kebab case. */
  rule: string;
  /** Every match contains one of them; texts without are not searched. */
  hints: readonly string[];
  /**
   * Global. The group `secret`, `second` or `third`, or else the whole match, is the secret. Bounded, or begins with a
   * literal, so that a hostile text costs no more than an ordinary one.
   */
  pattern: RegExp;
}

/** @param hints several are separated by `|`. */
export function token(rule: string, hints: string | readonly string[], pattern: RegExp): SecretRule {
  return { rule, hints: typeof hints === 'string' ? hints.split('|') : hints, pattern };
}

/** A password by its place: after the option of a command, after a directive, in a column. @param hints as of {@link token}. */
export function place(hints: string | readonly string[], pattern: RegExp): SecretRule {
  return token('password', hints, pattern);
}
