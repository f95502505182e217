import { type CredentialKind, type CredentialSecret, RepotideError } from '@core/domain';
import { z } from 'zod';
import { type Keyring, type Sealed } from './keyring.js';

/** The owner that a secret is bound to: it cannot be opened in another row or for another host. */
export interface SecretOwner {
  id: string;
  kind: CredentialKind;
  baseUrl: string;
}

/** The JSON inside the ciphertext. The expiry of an access token is in the row, by the database's clock. */
const secretShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('token'), token: z.string(), username: z.string().exactOptional() }),
  z.object({
    kind: z.literal('oauth'),
    clientId: z.string(),
    clientSecret: z.string(),
    accessToken: z.string(),
    refreshToken: z.string(),
  }),
]);
export type StoredSecret = z.infer<typeof secretShape>;

export function storedSecretOf(secret: CredentialSecret): StoredSecret {
  if (secret.kind === 'token') {
    const { kind, token, username } = secret;
    return username === undefined ? { kind, token } : { kind, token, username };
  }
  const { clientId, clientSecret, accessToken, refreshToken } = secret.oauth;
  return { kind: 'oauth', clientId, clientSecret, accessToken, refreshToken };
}

export function sealSecret(keyring: Keyring, owner: SecretOwner, secret: StoredSecret): Promise<Sealed> {
  return keyring.seal(secret, boundTo(owner));
}

/** @throws as {@link Keyring.open}. */
export async function openSecret(
  keyring: Keyring,
  owner: SecretOwner,
  sealed: Sealed,
): Promise<StoredSecret> {
  const parsed = secretShape.safeParse(await keyring.open(sealed, boundTo(owner)));
  if (parsed.success) return parsed.data;
  // No cause: zod's error would contain the secret.
  const message = `The decrypted secret of credential ${owner.id} does not have the expected fields.`;
  throw new RepotideError('internal', 'credential_malformed', message);
}

function boundTo({ id, kind, baseUrl }: SecretOwner): string {
  return JSON.stringify(['repotide credential', id, kind, baseUrl]);
}
