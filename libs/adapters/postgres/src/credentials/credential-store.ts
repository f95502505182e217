import { randomUUID } from 'node:crypto';
import {
  type Credential,
  type CredentialSecret,
  type CredentialStore,
  type KeyRotation,
  type NewCredential,
  RepotideError,
} from '@core/domain';
import { uuidOrNull } from '../sql/columns.js';
import { type Database, type Queryable } from '../sql/database.js';
import { isUniqueViolation } from '../sql/database-error.js';
import { Conditions, selectPage } from '../sql/page.js';
import { refuseOldRevision } from '../sql/revision.js';
import { credentialNotFound, findSealed, SELECT_CREDENTIAL } from './credential-rows.js';
import { Keyring } from './keyring.js';
import { OAuthRefresh, type RefreshOptions } from './oauth-refresh.js';
import { openSecret, sealSecret, type SecretOwner, storedSecretOf } from './secret.js';

export interface CredentialStoreOptions extends RefreshOptions {
  /** REPOTIDE_ENCRYPTION_KEY: seals and opens. Without it no secret is stored. */
  encryptionKey: string | undefined;
  /** The second key of REPOTIDE_ENCRYPTION_KEY: it only decrypts. */
  previousEncryptionKey?: string | undefined;
}

/** Credentials in Postgres. Each secret is sealed with AES-256-GCM and bound to row, kind and host. */
export function createCredentialStore(db: Database, options: CredentialStoreOptions): CredentialStore {
  const keyring = new Keyring(options.encryptionKey, options.previousEncryptionKey);
  const oauth = new OAuthRefresh(db, keyring, options);
  return {
    create: (credential) => insert(db, keyring, credential),
    find: (credentialId) => find(db, credentialId),
    list(page) {
      const where = new Conditions();
      return selectPage(
        db,
        { select: SELECT_CREDENTIAL, from: 'credentials c', where, orderBy: 'c.name' },
        page,
      );
    },
    replaceSecret: (credentialId, secret, expectedRevision) =>
      db.transaction((tx) => replaceSecret(tx, keyring, credentialId, secret, expectedRevision)),
    delete: (credentialId) => db.transaction((tx) => remove(tx, credentialId)),
    async tokenFor(credentialId, signal) {
      const row = await oauth.freshRow(credentialId, signal);
      const secret = await openSecret(keyring, row, row);
      const token = secret.kind === 'token' ? secret.token : secret.accessToken;
      return { token, baseUrl: row.baseUrl };
    },
    rotateKey: () => rotateKey(db, keyring),
    close: () => oauth.settled(),
  };
}

async function find(db: Queryable, credentialId: string): Promise<Credential | null> {
  const rows = await db.query<Credential>(`SELECT ${SELECT_CREDENTIAL} FROM credentials c WHERE id = $1`, [
    uuidOrNull(credentialId),
  ]);
  return rows[0] ?? null;
}

async function insert(db: Database, keyring: Keyring, credential: NewCredential): Promise<Credential> {
  const { name, kind, baseUrl } = credential;
  // The id is made here, because the secret is bound to it.
  const owner: SecretOwner = { id: randomUUID(), kind, baseUrl };
  const sealed = await sealSecret(keyring, owner, storedSecretOf(credential));
  try {
    const [row] = await db.query<Credential>(
      `INSERT INTO credentials AS c (id, name, kind, base_url, expires_at, ciphertext, nonce, auth_tag, key_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING ${SELECT_CREDENTIAL}`,
      [owner.id, name, kind, baseUrl, expiryOf(credential), ...inOrder(sealed)],
    );
    return row ?? credentialNotFound(owner.id);
  } catch (error) {
    if (!isUniqueViolation(error, 'credentials_name_key')) throw error;
    const message = `There is a credential named "${name}" already. Choose another name, or give that one a new secret.`;
    throw new RepotideError('conflict', 'credential_exists', message, { cause: error });
  }
}

/** Increments the generation, so that a refresh in flight cannot overwrite the new secret. */
async function replaceSecret(
  tx: Queryable,
  keyring: Keyring,
  credentialId: string,
  secret: CredentialSecret,
  expectedRevision: number | undefined,
): Promise<Credential> {
  const found = await findSealed(tx, credentialId, 0, 'FOR UPDATE');
  refuseOldRevision('credential', found.generation, expectedRevision);
  const { kind } = secret;
  const sealed = await sealSecret(
    keyring,
    { id: found.id, kind, baseUrl: found.baseUrl },
    storedSecretOf(secret),
  );
  const [row] = await tx.query<Credential>(
    `UPDATE credentials c SET kind = $2, expires_at = $3, ciphertext = $4, nonce = $5, auth_tag = $6, key_id = $7,
      generation = generation + 1, refresh_claim = NULL, refresh_claimed_at = NULL, needs_login_since = NULL,
      login_error = NULL, updated_at = clock_timestamp()
      WHERE id = $1 RETURNING ${SELECT_CREDENTIAL}`,
    [found.id, kind, expiryOf(secret), ...inOrder(sealed)],
  );
  return row ?? credentialNotFound(credentialId);
}

/** The lock on the row blocks transactions that begin to use it. Deleted repositories no longer refer to it. */
async function remove(tx: Queryable, credentialId: string): Promise<void> {
  const id = uuidOrNull(credentialId);
  const found = await tx.query('SELECT 1 FROM credentials WHERE id = $1 FOR UPDATE', [id]);
  if (found.length === 0) credentialNotFound(credentialId);
  const users = await tx.query<{ projectPath: string }>(
    `(SELECT project_path AS "projectPath" FROM repositories WHERE credential_id = $1 AND deleted_at IS NULL LIMIT 4)
      UNION ALL (SELECT 'discovery ' || name FROM discoveries WHERE credential_id = $1 LIMIT 4)`,
    [id],
  );
  if (users.length > 0) throw inUse(credentialId, users);
  await tx.query('UPDATE repositories SET credential_id = NULL WHERE credential_id = $1', [id]);
  await tx.query('DELETE FROM credentials WHERE id = $1', [id]);
}

async function rotateKey(db: Database, keyring: Keyring): Promise<KeyRotation> {
  const presentKeyId = await keyring.presentKeyId();
  const old = await db.query<{ id: string }>('SELECT id FROM credentials WHERE key_id <> $1 ORDER BY id', [
    presentKeyId,
  ]);
  const rotation: KeyRotation = { resealed: 0, unreadable: [] };
  for (const { id } of old) {
    try {
      await db.transaction((tx) => reseal(tx, keyring, id));
      rotation.resealed += 1;
    } catch (error) {
      // A credential deleted meanwhile needs no key. An unknown key or an altered row must not stop the others.
      const { code } = error instanceof RepotideError ? error : { code: null };
      if (code === 'credential_not_found') continue;
      if (code !== 'credential_key_unknown' && code !== 'credential_altered') throw error;
      rotation.unreadable.push(id);
    }
  }
  return rotation;
}

/** The secret is unchanged, so the generation stays: a refresh in flight may still store its tokens. */
async function reseal(tx: Queryable, keyring: Keyring, credentialId: string): Promise<void> {
  const row = await findSealed(tx, credentialId, 0, 'FOR UPDATE');
  const sealed = await sealSecret(keyring, row, await openSecret(keyring, row, row));
  await tx.query(
    `UPDATE credentials SET ciphertext = $2, nonce = $3, auth_tag = $4, key_id = $5, updated_at = clock_timestamp()
      WHERE id = $1`,
    [row.id, ...inOrder(sealed)],
  );
}

function inOrder({ ciphertext, nonce, authTag, keyId }: Awaited<ReturnType<typeof sealSecret>>): unknown[] {
  return [ciphertext, nonce, authTag, keyId];
}

function expiryOf(secret: CredentialSecret): Date | null {
  return secret.kind === 'oauth' ? secret.oauth.expiresAt : null;
}

function inUse(credentialId: string, users: readonly { projectPath: string }[]): RepotideError {
  const [first] = users;
  const others = users.length > 1 ? ' and others' : '';
  return new RepotideError(
    'conflict',
    'credential_in_use',
    `${first?.projectPath ?? 'A repository'}${others} are read with this credential. Give them another one first.`,
    { details: { credential_id: credentialId } },
  );
}
