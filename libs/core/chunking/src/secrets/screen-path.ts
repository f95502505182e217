import { findSecrets } from './find-secrets.js';
import { screenText } from './screen-text.js';

/** Every secret in a path is at least this long; most paths have no such run with a digit, and are not searched. */
const LONG_RUN = /[^/\s]{12,}/;

/** The rule that finds a secret in a path, e.g. a token in a file name; null for none. */
export function secretInPath(path: string): string | null {
  if (!LONG_RUN.test(path) || !/\d/.test(path)) return null;
  return findSecrets(path)[0]?.rule ?? null;
}

/** A path as it may be shown: secrets in it are replaced. */
export function shownPath(path: string): string {
  return secretInPath(path) === null ? path : screenText(path, 'redact').text;
}
