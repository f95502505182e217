import { type TokenStore } from '@core/domain';
import { registerSecrets } from '@platform/observability';
import { hashToken, makeToken } from '../access/token-hash.js';

/**
 * Makes sure that an administrator can get in: the configured token is made known, or, when there is neither one nor
 * any admin token in the database, a random one is made.
 * @returns the clear text of a token that was made now and must be shown once; otherwise null.
 */
export async function ensureAdminToken(
  tokens: TokenStore,
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
