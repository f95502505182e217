import { type Page, type PageRequest, RepotideError, type Role, type ApiToken } from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { notFound } from '../sql/database-error.js';
import { selectPage } from '../sql/page.js';
import { insertInto, pick, uuidOrNull } from '../sql/rows.js';

/** All but the hash. */
const COLUMNS = 'id, name, role, scope, created_at, expires_at, created_by, last_used_at, revoked_at';

/** The properties of a new row. */
const GIVEN = ['name', 'role', 'scope', 'tokenHash', 'expiresAt', 'createdBy'] as const;
type NewToken = Pick<ApiToken, Exclude<(typeof GIVEN)[number], 'tokenHash'>> & { tokenHash: string };

const IS_VALID = 'revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp())';

/** API tokens by their SHA-256 hash; the clear text is never stored. */
export class ApiTokens {
  constructor(private readonly db: Database) {}

  /** Null when unknown, expired or revoked. */
  findByHash(tokenHash: string): Promise<ApiToken | null> {
    return this.db.first(`SELECT ${COLUMNS} FROM api_tokens WHERE token_hash = $1 AND ${IS_VALID}`, [
      tokenHash,
    ]);
  }

  /**
   * Creates the token, or updates the name and role of the one with this hash. Safe to repeat. A revoked token stays
   * revoked, even when the configuration still names it.
   */
  async ensure({ name, role, tokenHash }: { name: string; role: Role; tokenHash: string }): Promise<void> {
    await this.db.query(
      `INSERT INTO api_tokens (name, role, token_hash) VALUES ($1, $2, $3)
        ON CONFLICT (token_hash) DO UPDATE SET name = excluded.name, role = excluded.role`,
      [name, role, tokenHash],
    );
  }

  /**
   * Makes this the only admin token that no caller created: a former one from the configuration or the first start is
   * deleted. Tokens that callers created stay. Safe to repeat. When the token was revoked, nothing is deleted.
   */
  async replaceAdmin(token: { name: string; tokenHash: string }): Promise<void> {
    await this.ensure({ ...token, role: 'admin' });
    await this.db.query(
      `DELETE FROM api_tokens WHERE created_by IS NULL AND role = 'admin' AND revoked_at IS NULL AND token_hash <> $1
        AND EXISTS (SELECT FROM api_tokens WHERE token_hash = $1 AND ${IS_VALID})`,
      [token.tokenHash],
    );
  }

  async hasAdmin(): Promise<boolean> {
    return (await validAdmins(this.db)).length > 0;
  }

  create(token: NewToken): Promise<ApiToken> {
    const { sql, values } = insertInto('api_tokens', pick(token, GIVEN));
    return this.db.one(`${sql} RETURNING ${COLUMNS}`, values);
  }

  /**
   * Creates another token with the name, role and scope of this one, and lets this one expire after the overlap.
   * @param expiresAt of the new one; null: it lives as long as the former one did, at most until `latest`.
   * @throws not_found `token_not_found`; conflict `token_not_valid`, `token_configured`.
   */
  rotate(
    tokenId: string,
    next: {
      tokenHash: string;
      createdBy: string;
      overlapSeconds: number;
      expiresAt: Date | null;
      latest: Date | null;
    },
  ): Promise<ApiToken> {
    return this.db.transaction(async (tx) => {
      const former = await tx.first<ApiToken & { isValid: boolean }>(
        `SELECT ${COLUMNS}, ${IS_VALID} AS is_valid FROM api_tokens WHERE id = $1 FOR UPDATE`,
        [uuidOrNull(tokenId)],
      );
      if (!former) return notFound('token', tokenId);
      if (former.createdBy === null) throw configured(tokenId);
      if (!former.isValid) throw notValid(tokenId);
      const row = await tx.one<ApiToken>(
        `INSERT INTO api_tokens (name, role, scope, token_hash, created_by, expires_at)
          SELECT name, role, scope, $2, $3,
              COALESCE($4::timestamptz, LEAST(clock_timestamp() + (expires_at - created_at), $5::timestamptz))
            FROM api_tokens WHERE id = $1
          RETURNING ${COLUMNS}`,
        [former.id, next.tokenHash, next.createdBy, next.expiresAt, next.latest],
      );
      await tx.query(
        `UPDATE api_tokens SET expires_at = LEAST(expires_at, clock_timestamp() + $2 * interval '1 second') WHERE id = $1`,
        [former.id, next.overlapSeconds],
      );
      return row;
    });
  }

  /** Newest first, including expired and revoked ones. */
  list(page: PageRequest): Promise<Page<ApiToken>> {
    const orderBy = 'created_at DESC, id';
    return selectPage(this.db, { select: COLUMNS, from: 'api_tokens', orderBy }, page);
  }

  /**
   * Makes the token invalid at once. Safe to repeat.
   * @throws not_found `token_not_found`; conflict `last_admin_token` when no other valid token has the role admin.
   */
  revoke(tokenId: string): Promise<ApiToken> {
    return this.db.transaction(async (tx) => {
      // Locks all of them, so that two administrators cannot revoke each other's tokens at the same moment.
      const admins = await validAdmins(tx, 'ORDER BY id FOR UPDATE');
      if (admins.length === 1 && admins[0]?.id === tokenId.toLowerCase()) throw lastAdmin(tokenId);
      const row = await tx.first<ApiToken>(
        `UPDATE api_tokens SET revoked_at = COALESCE(revoked_at, clock_timestamp()) WHERE id = $1 RETURNING ${COLUMNS}`,
        [uuidOrNull(tokenId)],
      );
      return row ?? notFound('token', tokenId);
    });
  }

  /** Records a use; writes at most once a minute. */
  async recordUse(tokenId: string): Promise<void> {
    await this.db.query(
      `UPDATE api_tokens SET last_used_at = clock_timestamp()
        WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < clock_timestamp() - interval '1 minute')`,
      [uuidOrNull(tokenId)],
    );
  }
}

function validAdmins(db: Queryable, lock = ''): Promise<{ id: string }[]> {
  return db.query(`SELECT id FROM api_tokens WHERE role = 'admin' AND ${IS_VALID} ${lock}`);
}

function configured(tokenId: string): RepotideError {
  const message =
    'This token comes from the configuration or the first start, so it cannot be rotated here. Set another ' +
    'REPOTIDE_ADMIN_TOKEN and restart, or create a token and revoke this one.';
  return new RepotideError('conflict', 'token_configured', message, { details: { token_id: tokenId } });
}

function notValid(tokenId: string): RepotideError {
  const message = 'This token is revoked or expired, so nobody uses it. Create another one.';
  return new RepotideError('conflict', 'token_not_valid', message, { details: { token_id: tokenId } });
}

function lastAdmin(tokenId: string): RepotideError {
  const message =
    'This is the only valid token with the role admin: without it nobody could create another. Create one first.';
  return new RepotideError('conflict', 'last_admin_token', message, { details: { token_id: tokenId } });
}
