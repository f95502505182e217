import { randomUUID } from 'node:crypto';
import {
  type AccessGrant,
  type Credential,
  type CredentialSecret,
  type KeyRotation,
  type NewCredential,
  type Page,
  type PageRequest,
  RepotideError,
} from '@core/domain';
import { type Database, type Queryable } from '../sql/database.js';
import { notFound, refuseOldRevision, refusingTwin } from '../sql/database-error.js';
import { selectPage } from '../sql/page.js';
import { assignments, insertInto, uuidOrNull } from '../sql/rows.js';
import { findSealed, SELECT_CREDENTIAL, WITH_NEW_SECRET } from './credential-rows.js';
import { Keyring, resealAll } from './keyring.js';
import { OAuthRefresh, type RefreshOptions } from './oauth-refresh.js';
import { openSecret, sealSecret, storedSecretOf } from './secret.js';

export interface CredentialStoreOptions extends RefreshOptions {
  /** REPOTIDE_ENCRYPTION_KEY: seals and opens. Without it no secret is stored. */
  encryptionKey: string | undefined;
  /** The second key of REPOTIDE_ENCRYPTION_KEY: it only decrypts. */
  previousEncryptionKey?: string | undefined;
}

/**
 * Credentials of code hosts. Each secret is sealed with AES-256-GCM and bound to row, kind and host; the key is not in
 * the database. Reading or writing a secret throws invalid `encryption_key_missing` when there is no key,
 * `credential_key_unknown` when it was encrypted with a key that this process does not have, `credential_altered` when
 * the row was edited by hand.
 */
export class CredentialStore {
  private readonly keyring: Keyring;
  private readonly oauth: OAuthRefresh;

  constructor(
    private readonly db: Database,
    options: CredentialStoreOptions,
  ) {
    this.keyring = new Keyring(options.encryptionKey, options.previousEncryptionKey);
    this.oauth = new OAuthRefresh(db, this.keyring, options);
  }

  /** @throws conflict `credential_exists` when the name is taken. */
  async create(credential: NewCredential): Promise<Credential> {
    const { name, kind, baseUrl } = credential;
    // The id is made here, because the secret is bound to it.
    const owner = { id: randomUUID(), kind, baseUrl };
    const sealed = await sealSecret(this.keyring, owner, storedSecretOf(credential));
    const row = { ...owner, name, expiresAt: expiryOf(credential), ...sealed };
    const { sql, values } = insertInto('credentials AS c', row);
    const message = `There is already a credential named "${name}". Choose another name, or give that one a new secret.`;
    const twin = { constraint: 'credentials_name_key', code: 'credential_exists', message };
    return refusingTwin(twin, () => this.db.one<Credential>(`${sql} RETURNING ${SELECT_CREDENTIAL}`, values));
  }

  find(credentialId: string): Promise<Credential | null> {
    const select = `SELECT ${SELECT_CREDENTIAL} FROM credentials c WHERE id = $1`;
    return this.db.first(select, [uuidOrNull(credentialId)]);
  }

  list(page: PageRequest): Promise<Page<Credential>> {
    return selectPage(this.db, { select: SELECT_CREDENTIAL, from: 'credentials c', orderBy: 'c.name' }, page);
  }

  /**
   * Stores a new secret for the same host, for example after a new login. Increments the generation, so that a refresh
   * in flight cannot overwrite the new secret.
   * @throws not_found `credential_not_found`; conflict `revision_mismatch` when `expectedRevision` is given and old.
   */
  replaceSecret(
    credentialId: string,
    secret: CredentialSecret,
    expectedRevision?: number,
  ): Promise<Credential> {
    return this.db.transaction(async (tx) => {
      const { id, baseUrl, generation } = await findSealed(tx, credentialId, 0, 'FOR UPDATE');
      refuseOldRevision('credential', generation, expectedRevision);
      const { kind } = secret;
      const sealed = await sealSecret(this.keyring, { id, kind, baseUrl }, storedSecretOf(secret));
      const { sql, values } = assignments({ kind, expiresAt: expiryOf(secret), ...sealed }, 2);
      return tx.one<Credential>(
        `UPDATE credentials c SET ${sql}, ${WITH_NEW_SECRET} WHERE id = $1 RETURNING ${SELECT_CREDENTIAL}`,
        [id, ...values],
      );
    });
  }

  /**
   * The lock on the row blocks transactions that begin to use it. Deleted repositories no longer refer to it.
   * @throws not_found `credential_not_found`; conflict `credential_in_use` while a live repository uses it.
   */
  delete(credentialId: string): Promise<void> {
    return this.db.transaction(async (tx) => {
      const id = [uuidOrNull(credentialId)];
      const locked = 'SELECT 1 FROM credentials WHERE id = $1 FOR UPDATE';
      if (!(await tx.has(locked, id))) notFound('credential', credentialId);
      const users = await tx.query<{ name: string }>(
        `(SELECT project_path AS name FROM repositories WHERE credential_id = $1 AND deleted_at IS NULL LIMIT 4)
          UNION ALL (SELECT 'discovery ' || name FROM discoveries WHERE credential_id = $1 LIMIT 4)`,
        id,
      );
      const [first] = users;
      if (first !== undefined) throw inUse(credentialId, first.name, users.length > 1);
      await tx.query('UPDATE repositories SET credential_id = NULL WHERE credential_id = $1', id);
      await tx.query('DELETE FROM credentials WHERE id = $1', id);
    });
  }

  /**
   * Returns a valid token. One caller among all pods refreshes an OAuth token that expires soon; the others wait.
   * The refresh continues after this caller's signal fires, because its result must not be lost.
   * @throws not_found `credential_not_found`; unauthorized `credential_needs_login` when the refresh token is invalid;
   *   temporary `credential_refresh_failed` when another pod's refresh failed; and the errors of `TokenRefresher`.
   */
  async tokenFor(credentialId: string, signal: AbortSignal): Promise<AccessGrant> {
    const row = await this.oauth.freshRow(credentialId, signal);
    const secret = await openSecret(this.keyring, row, row);
    const { baseUrl } = row;
    if (secret.kind === 'oauth') return { token: secret.accessToken, baseUrl };
    const { token, username } = secret;
    return username === undefined ? { token, baseUrl } : { token, username, baseUrl };
  }

  /** Encrypts every secret with the current key. Safe to repeat. */
  async rotateKey(): Promise<KeyRotation> {
    const stale = 'SELECT id FROM credentials WHERE key_id <> $1 ORDER BY id';
    const rows = await this.db.query<{ id: string }>(stale, [await this.keyring.presentKeyId()]);
    return resealAll(rows, ({ id }) => this.db.transaction((tx) => this.reseal(tx, id)));
  }

  /** Waits until the refreshes of this process are stored. */
  close(): Promise<void> {
    return this.oauth.settled();
  }

  /** The secret is unchanged, so the generation stays: a refresh in flight may still store its tokens. */
  private async reseal(tx: Queryable, credentialId: string): Promise<void> {
    const row = await findSealed(tx, credentialId, 0, 'FOR UPDATE');
    const sealed = await sealSecret(this.keyring, row, await openSecret(this.keyring, row, row));
    const { sql, values } = assignments(sealed, 2);
    const set = `${sql}, updated_at = clock_timestamp()`;
    await tx.query(`UPDATE credentials SET ${set} WHERE id = $1`, [row.id, ...values]);
  }
}

function expiryOf(secret: CredentialSecret): Date | null {
  return secret.kind === 'oauth' ? secret.oauth.expiresAt : null;
}

function inUse(credentialId: string, user: string, hasMore: boolean): RepotideError {
  const message = `${user}${hasMore ? ' and others use' : ' uses'} this credential. Assign another credential there first.`;
  const details = { credential_id: credentialId };
  return new RepotideError('conflict', 'credential_in_use', message, { details });
}
