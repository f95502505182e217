import { createHash, randomBytes } from 'node:crypto';

/** How a token is stored and looked up: SHA-256, hex. Tokens are long and random, so no slow hash is needed. */
export function hashToken(clearText: string): string {
  return createHash('sha256').update(clearText).digest('hex');
}

/** A new token: 192 random bits after a prefix that secret scanners can search for. */
export function makeToken(): string {
  return `rtd_${randomBytes(24).toString('base64url')}`;
}
