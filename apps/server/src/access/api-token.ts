import { createHash, randomBytes } from 'node:crypto';
import { type ApiTokens } from '@adapters/postgres';
import { registerSecrets } from '@platform/observability';

/** How a token is stored and looked up: SHA-256, hex. Tokens are long and random, so no slow hash is needed. */
export function hashToken(clearText: string): string {
  return createHash('sha256').update(clearText).digest('hex');
}

/** A new token: 192 random bits after a prefix that secret scanners can search for. Logs never show it. */
export function makeToken(): string {
  const token = `rtd_${randomBytes(24).toString('base64url')}`;
  registerSecrets([token]);
  return token;
}

/**
 * Ensures that an admin token exists. A configured token replaces the former one. Without one, and without an admin token
 * in the database, generates a random token.
 * @returns the clear text of a generated token, which is stored nowhere; otherwise null.
 */
export async function ensureAdminToken(
  tokens: ApiTokens,
  configured: string | undefined,
): Promise<string | null> {
  if (configured !== undefined) {
    await tokens.replaceAdmin({ name: 'REPOTIDE_ADMIN_TOKEN', tokenHash: hashToken(configured) });
    return null;
  }
  if (await tokens.hasAdmin()) return null;
  const clearText = makeToken();
  await tokens.ensure({ name: 'generated at first start', role: 'admin', tokenHash: hashToken(clearText) });
  return clearText;
}
