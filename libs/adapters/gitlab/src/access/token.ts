import { type AccessGrant, RepotideError } from '@core/domain';
import { type Bearer } from '../http/request-sender.js';
import { parseBaseUrl } from './base-url.js';

/** Returns the access token of a stored credential, refreshed if needed. */
export type TokenFor = (credentialId: string, signal: AbortSignal) => Promise<AccessGrant>;

/**
 * The token of a stored credential, for one source. An OAuth token may expire during a run, and a refresh by another pod
 * revokes it early: after a 401 this reads the credential again, once for all requests that were refused together.
 * @param address of the GitLab that the token is for.
 * @throws invalid `credential_foreign_host`, `source_token_malformed`; and what the credential store throws.
 */
export async function openStoredToken(
  credentialId: string,
  address: string,
  tokenFor: TokenFor,
  signal: AbortSignal,
): Promise<Bearer> {
  let username: string | undefined;
  const load = async (loadSignal: AbortSignal): Promise<string> => {
    const { token, baseUrl, ...grant } = await tokenFor(credentialId, loadSignal);
    username = grant.username;
    if (parseBaseUrl(baseUrl) === address) return wellFormedToken(token, `the credential ${credentialId}`);
    const message =
      `The credential belongs to ${baseUrl}; it is not sent to ${address}. ` +
      'Choose a credential of that host, or none.';
    const details = { credential_id: credentialId };
    throw new RepotideError('invalid', 'credential_foreign_host', message, { details });
  };
  let current = await load(signal);
  let renewal: Promise<string> | null = null;
  return {
    get token() {
      return current;
    },
    get username() {
      return username;
    },
    async renew(refused, renewSignal) {
      if (current !== refused) return true;
      renewal ??= load(renewSignal).finally(() => (renewal = null));
      current = await renewal;
      return current !== refused;
    },
  };
}

/** Trims the line break at the end of a mounted secret. @throws invalid `source_token_malformed`. */
export function wellFormedToken(token: string, setting: string): string {
  const trimmed = token.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  const found = trimmed === '' ? 'it is empty' : 'it contains spaces or characters outside ASCII';
  const message = `The token in ${setting} is not usable: ${found}. Expected e.g. "glpat-...".`;
  throw new RepotideError('invalid', 'source_token_malformed', message);
}
