import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import { type KeyRotation, RepotideError, toRepotideError } from '@core/domain';

export interface Sealed {
  ciphertext: Buffer;
  nonce: Buffer;
  authTag: Buffer;
  keyId: string;
}

interface Key {
  id: string;
  secret: Buffer;
}

const CIPHER = 'aes-256-gcm';
const SECRET_BYTES = 32;
const ID_BYTES = 8;
/** Recommended by NIST SP 800-38D; random nonces are safe for 2^32 secrets. */
const NONCE_BYTES = 12;
/**
 * The variable may be a passphrase, so guessing must be expensive. The cost follows OWASP's password storage
 * cheat sheet. The salt makes other applications' precomputed tables useless; it must be the same on every
 * pod.
 */
const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };
const SALT = 'repotide credentials v1';

const derive = promisify<string, string, number, typeof SCRYPT, Buffer>(scrypt);

/** Encrypts under the present key; decrypts under the present and the previous one. */
export class Keyring {
  private readonly derived = new Map<string, Promise<Key>>();

  constructor(
    private readonly presentText: string | undefined,
    private readonly previousText: string | undefined,
  ) {}

  /** Identifies the present key without revealing it. @throws invalid `encryption_key_missing`. */
  async presentKeyId(): Promise<string> {
    return (await this.present()).id;
  }

  /** @param boundTo the owner of the secret; the secret cannot be opened for any other. */
  async seal(secret: object | string, boundTo: string): Promise<Sealed> {
    const key = await this.present();
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key.secret, nonce).setAAD(Buffer.from(boundTo));
    const ciphertext = Buffer.concat([cipher.update(JSON.stringify(secret), 'utf8'), cipher.final()]);
    return { ciphertext, nonce, authTag: cipher.getAuthTag(), keyId: key.id };
  }

  /** @throws invalid `encryption_key_missing`, `credential_key_unknown`, `credential_altered`. */
  async open(sealed: Sealed, boundTo: string): Promise<unknown> {
    const key = await this.find(sealed.keyId);
    const decipher = createDecipheriv(CIPHER, key.secret, sealed.nonce, { authTagLength: 16 });
    decipher.setAAD(Buffer.from(boundTo)).setAuthTag(sealed.authTag);
    let clear: string;
    try {
      clear = decipher.update(sealed.ciphertext, undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      const message =
        'A stored secret does not belong to its row any more: the row was changed by hand. Give the credential a new secret.';
      throw new RepotideError('invalid', 'credential_altered', message, { cause: error });
    }
    return JSON.parse(clear) as unknown;
  }

  private present(): Promise<Key> {
    if (this.presentText === undefined) throw keyMissing();
    return this.key(this.presentText);
  }

  private async find(keyId: string): Promise<Key> {
    const texts = [this.presentText, this.previousText].filter((text) => text !== undefined);
    if (texts.length === 0) throw keyMissing();
    for (const text of texts) {
      const key = await this.key(text);
      if (key.id === keyId) return key;
    }
    const message =
      `A stored secret is encrypted with key ${keyId}, which this pod does not have. Add that key to ` +
      'REPOTIDE_ENCRYPTION_KEY after a comma, or give the credential a new secret.';
    throw new RepotideError('invalid', 'credential_key_unknown', message, { details: { key_id: keyId } });
  }

  /** Derives the key on first use, which takes a fifth of a second; a process without credentials never does. */
  private key(text: string): Promise<Key> {
    const known = this.derived.get(text) ?? deriveKey(text);
    this.derived.set(text, known);
    return known;
  }
}

/** Seals each row again under the present key. A row that was deleted meanwhile needs no key. */
export async function resealAll<Row extends { id: string }>(
  rows: readonly Row[],
  reseal: (row: Row) => Promise<unknown>,
): Promise<KeyRotation> {
  const rotation: KeyRotation = { resealed: 0, unreadable: [] };
  for (const row of rows) {
    try {
      await reseal(row);
      rotation.resealed += 1;
    } catch (error) {
      // An unknown key or an altered row must not stop the others.
      const { kind, code } = toRepotideError(error);
      if (code === 'credential_key_unknown' || code === 'credential_altered')
        rotation.unreadable.push(row.id);
      else if (kind !== 'not_found') throw error;
    }
  }
  return rotation;
}

async function deriveKey(text: string): Promise<Key> {
  const bytes = await derive(text, SALT, SECRET_BYTES + ID_BYTES, SCRYPT);
  return { secret: bytes.subarray(0, SECRET_BYTES), id: bytes.subarray(SECRET_BYTES).toString('hex') };
}

function keyMissing(): RepotideError {
  const message =
    'Credentials are stored encrypted, and REPOTIDE_ENCRYPTION_KEY is not set. Set it to the same secret on every pod; ' +
    '"openssl rand -base64 32" makes a good one.';
  return new RepotideError('invalid', 'encryption_key_missing', message);
}
