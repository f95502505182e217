import { type Credential, RepotideError } from '@core/domain';
import { columnsOf, selectList, uuidOrNull } from '../sql/columns.js';
import { type Queryable } from '../sql/database.js';
import { type Sealed } from './keyring.js';

/** An access token that expires within this time is not used. It covers clock differences and a request in flight. */
const EXPIRY_MARGIN_SECONDS = 60;

const SHOWN = selectList(
  columnsOf<Omit<Credential, 'repositoryCount' | 'revision'>>({
    id: true,
    name: true,
    kind: true,
    baseUrl: true,
    expiresAt: true,
    needsLoginSince: true,
    createdAt: true,
    updatedAt: true,
  }),
  'c',
);

/** For rows of `credentials` named `c`. Contains no part of the secret. */
export const SELECT_CREDENTIAL = `${SHOWN}, c.generation AS revision, (SELECT count(*) FROM repositories r
  WHERE r.credential_id = c.id AND r.deleted_at IS NULL) AS "repositoryCount"`;

const SEALED = ['ciphertext', 'nonce', 'authTag', 'keyId'] as const;

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
  const properties = [
    'id',
    'name',
    'kind',
    'baseUrl',
    'generation',
    'needsLoginSince',
    'loginError',
    'refreshClaim',
  ];
  const [row] = await db.query<SealedRow>(
    `SELECT ${selectList([...properties, ...SEALED])},
      (expires_at IS NULL OR expires_at > clock_timestamp() + interval '${EXPIRY_MARGIN_SECONDS} s') AS "isFresh",
      COALESCE(refresh_claimed_at > clock_timestamp() - make_interval(secs => $2), false) AS "isClaimed"
      FROM credentials WHERE id = $1 ${lock}`,
    [uuidOrNull(credentialId), claimSeconds],
  );
  return row ?? credentialNotFound(credentialId);
}

export function credentialNotFound(credentialId: string): never {
  throw new RepotideError('not_found', 'credential_not_found', `There is no credential ${credentialId}.`, {
    details: { credential_id: credentialId },
  });
}
