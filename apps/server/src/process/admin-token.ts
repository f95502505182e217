import { type ApiTokens } from '@adapters/postgres';
import { registerSecrets } from '@platform/observability';
import { hashToken, makeToken } from '../access/token-hash.js';

/**
 * Ensures that an admin token exists. Stores the configured token. Without one, and without an admin token in the
 * database, generates a random token.
 * @returns the clear text of a generated token, which must be shown once; otherwise null.
 */
export async function ensureAdminToken(
  tokens: ApiTokens,
  configured: string | undefined,
): Promise<string | null> {
  if (configured !== undefined) {
    await tokens.ensure({ name: 'REPOTIDE_ADMIN_TOKEN', role: 'admin', tokenHash: hashToken(configured) });
    return null;
  }
  if (await tokens.hasAdmin()) return null;
  const clearText = makeToken();
  registerSecrets([clearText]);
  await tokens.ensure({ name: 'generated at first start', role: 'admin', tokenHash: hashToken(clearText) });
  return clearText;
}
