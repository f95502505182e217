import { type ApiToken, type TokenStore } from '@core/domain';
import { columnsOf, selectList } from '../sql/columns.js';
import { type Database } from '../sql/database.js';

const SELECT = selectList(
  columnsOf<ApiToken>({ id: true, name: true, role: true, createdAt: true, expiresAt: true }),
);

export const IS_VALID_TOKEN = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())';

/** API tokens by hash. A revoked token stays revoked, even when the configuration still names it. */
export function createTokenStore(db: Database): TokenStore {
  return {
    async findByHash(tokenHash) {
      const rows = await db.query<ApiToken>(
        `SELECT ${SELECT} FROM api_tokens WHERE token_hash = $1 AND ${IS_VALID_TOKEN}`,
        [tokenHash],
      );
      return rows[0] ?? null;
    },
    async ensure({ name, role, tokenHash }) {
      await db.query(
        `INSERT INTO api_tokens (name, role, token_hash) VALUES ($1, $2, $3)
          ON CONFLICT (token_hash) DO UPDATE SET name = excluded.name, role = excluded.role`,
        [name, role, tokenHash],
      );
    },
    async hasAdmin() {
      const rows = await db.query(
        `SELECT 1 FROM api_tokens WHERE role = 'admin' AND ${IS_VALID_TOKEN} LIMIT 1`,
      );
      return rows.length > 0;
    },
  };
}
