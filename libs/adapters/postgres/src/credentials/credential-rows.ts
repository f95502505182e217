import { type Credential } from '@core/domain';
import { type Queryable } from '../sql/database.js';
import { notFound } from '../sql/database-error.js';
import { uuidOrNull } from '../sql/rows.js';
import { type Sealed } from './keyring.js';

/** An access token that expires within this time is not used. It covers clock differences and a request in flight. */
const EXPIRY_MARGIN_SECONDS = 60;

/** For rows of `credentials` named `c`. Contains no part of the secret. */
export const SELECT_CREDENTIAL = `c.id, c.name, c.kind, c.base_url, c.expires_at, c.needs_login_since, c.created_at,
  c.updated_at, c.generation AS revision, (SELECT count(*) FROM repositories r
    WHERE r.credential_id = c.id AND r.deleted_at IS NULL) AS repository_count`;

/** What a new secret sets beside it. A refresh in flight under the former generation is refused. */
export const WITH_NEW_SECRET = `generation = generation + 1, refresh_claim = NULL, refresh_claimed_at = NULL,
  needs_login_since = NULL, login_error = NULL, updated_at = clock_timestamp()`;

/** The fields that decide about a refresh, judged by the database's clock. */
export interface SealedRow extends Sealed, Pick<Credential, 'id' | 'name' | 'kind' | 'baseUrl'> {
  generation: number;
  needsLoginSince: Date | null;
  loginError: string | null;
  isFresh: boolean;
  refreshClaim: string | null;
  /** A pod has claimed the refresh and may still be working on it. */
  isClaimed: boolean;
}

/** @param claimSeconds how long a claim is valid. */
export async function findSealed(
  db: Queryable,
  credentialId: string,
  claimSeconds: number,
  lock: '' | 'FOR UPDATE' = '',
): Promise<SealedRow> {
  const row = await db.first<SealedRow>(
    `SELECT *,
      (expires_at IS NULL OR expires_at > clock_timestamp() + interval '${EXPIRY_MARGIN_SECONDS} s') AS is_fresh,
      COALESCE(refresh_claimed_at > clock_timestamp() - make_interval(secs => $2), false) AS is_claimed
      FROM credentials WHERE id = $1 ${lock}`,
    [uuidOrNull(credentialId), claimSeconds],
  );
  return row ?? notFound('credential', credentialId);
}
