import { type AccessGrant, RepotideError } from '@core/domain';
import { parseBaseUrl } from './base-url.js';
import { type Bearer } from './exchange.js';
import { wellFormed } from './token-form.js';

/** Gives a credential's access token as it works now. */
export type TokenFor = (credentialId: string, signal: AbortSignal) => Promise<AccessGrant>;

/**
 * The token of a stored credential over the life of a source. A run may outlive an OAuth token, and another pod's
 * refresh ends it before its time: a refused one is asked for again.
 */
export class StoredToken implements Bearer {
  private renewal: Promise<void> | null = null;

  private constructor(
    private readonly credentialId: string,
    private readonly address: string,
    private readonly tokenFor: TokenFor,
    private value: string,
  ) {}

  /** @throws invalid `credential_foreign_host`, `source_token_malformed`; and what the credential store throws. */
  static async open(
    credentialId: string,
    address: string,
    tokenFor: TokenFor,
    signal: AbortSignal,
  ): Promise<StoredToken> {
    const token = new StoredToken(credentialId, address, tokenFor, '');
    await token.ask(signal);
    return token;
  }

  get token(): string {
    return this.value;
  }

  /** True when there is another token than the one that was refused. Many requests at once ask once. */
  async renew(refused: string | null, signal: AbortSignal): Promise<boolean> {
    if (this.value !== refused) return true;
    this.renewal ??= this.ask(signal).finally(() => (this.renewal = null));
    await this.renewal;
    return this.value !== refused;
  }

  private async ask(signal: AbortSignal): Promise<void> {
    const { token, baseUrl } = await this.tokenFor(this.credentialId, signal);
    if (parseBaseUrl(baseUrl) !== this.address) throw foreignHost(this.credentialId, baseUrl, this.address);
    this.value = wellFormed(token, `the credential ${this.credentialId}`);
  }
}

function foreignHost(credentialId: string, own: string, asked: string): RepotideError {
  return new RepotideError(
    'invalid',
    'credential_foreign_host',
    `The credential belongs to ${own}; it is not shown to ${asked}. Choose a credential of that host, or none.`,
    { details: { credential_id: credentialId } },
  );
}
