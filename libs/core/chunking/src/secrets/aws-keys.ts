import { isPlaceholder, type SecretFinding } from './finding.js';

const ACCESS_KEY = /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g;
/** `aws configure set aws_secret_access_key <value>`, and arguments after the name. */
const NAMED =
  /secret_?(?:access_?)?key["']?(?:[\s,)]{1,4}|\s{0,3}[:=]\s{0,3})["']?(?<secret>[A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi;
const SECRET_KEY = /(?<![A-Za-z0-9+/=_-])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=_-])/g;
/** A credentials file, a call or a line of a table has both keys within so many characters. */
const REACH = 200;

/** AWS secret keys without a name: 40 characters beside an access key id. */
export function findAwsSecretKeys(text: string): SecretFinding[] {
  const named = /secret_?(?:access_?)?key/i.test(text) ? [...text.matchAll(NAMED)] : [];
  const found = named.map((match) => spanOf(match.index + match[0].length - 40));
  for (const { index } of text.matchAll(ACCESS_KEY)) {
    const from = Math.max(0, index - REACH);
    const around = text.slice(from, index + REACH);
    for (const match of around.matchAll(SECRET_KEY))
      if (isSecretKey(match[0])) found.push(spanOf(from + match.index));
  }
  return found;
}

/** A commit id has 40 characters too, but no capital letters. */
function isSecretKey(value: string): boolean {
  return /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value) && !isPlaceholder(value);
}

function spanOf(start: number): SecretFinding {
  return { rule: 'aws-secret-key', start, end: start + 40 };
}
