import { RepotideError, type TokenRecord, type TokenRegistry } from '@core/domain';
import { columnsOf, selectList, uuidOrNull } from '../sql/columns.js';
import { type Database, type Queryable } from '../sql/database.js';
import { Conditions, selectPage } from '../sql/page.js';
import { IS_VALID_TOKEN } from './token-store.js';

const SELECT = selectList(
  columnsOf<TokenRecord>({
    id: true,
    name: true,
    role: true,
    createdAt: true,
    expiresAt: true,
    createdBy: true,
    lastUsedAt: true,
    revokedAt: true,
  }),
);

/** The administration of API tokens. */
export function createTokenRegistry(db: Database): TokenRegistry {
  return {
    async create({ name, role, tokenHash, expiresAt, createdBy }) {
      const [row] = await db.query<TokenRecord>(
        `INSERT INTO api_tokens (name, role, token_hash, expires_at, created_by) VALUES ($1, $2, $3, $4, $5)
          RETURNING ${SELECT}`,
        [name, role, tokenHash, expiresAt, createdBy],
      );
      if (row === undefined)
        throw new RepotideError('internal', 'database_error', 'An insert returned no row.');
      return row;
    },
    list(page) {
      const where = new Conditions();
      return selectPage(
        db,
        { select: SELECT, from: 'api_tokens', where, orderBy: 'created_at DESC, id' },
        page,
      );
    },
    revoke: (tokenId) => db.transaction((tx) => revoke(tx, tokenId)),
    async noteUse(tokenId) {
      await db.query(
        `UPDATE api_tokens SET last_used_at = clock_timestamp()
          WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')`,
        [uuidOrNull(tokenId)],
      );
    },
  };
}

async function revoke(tx: Queryable, tokenId: string): Promise<TokenRecord> {
  // Locks all of them, so that two administrators cannot revoke each other's tokens at the same moment.
  const admins = await tx.query<{ id: string }>(
    `SELECT id FROM api_tokens WHERE role = 'admin' AND ${IS_VALID_TOKEN} ORDER BY id FOR UPDATE`,
  );
  if (admins.length === 1 && admins[0]?.id === tokenId.toLowerCase()) {
    throw new RepotideError(
      'conflict',
      'last_admin_token',
      'This is the only valid token with the role admin: without it nobody could make another. Create one first.',
      { details: { token_id: tokenId } },
    );
  }
  const [row] = await tx.query<TokenRecord>(
    `UPDATE api_tokens SET revoked_at = COALESCE(revoked_at, clock_timestamp()) WHERE id = $1 RETURNING ${SELECT}`,
    [uuidOrNull(tokenId)],
  );
  if (row !== undefined) return row;
  throw new RepotideError('not_found', 'token_not_found', `There is no token ${tokenId}.`);
}
