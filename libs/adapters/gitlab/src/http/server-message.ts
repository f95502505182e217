import { parseJson } from './response-body.js';

/** GitLab marks a token without the right scope by this `error`. */
export function isInsufficientScope(bodyText: string): boolean {
  const body = parseJson(bodyText);
  return typeof body === 'object' && body !== null && 'error' in body && body.error === 'insufficient_scope';
}
