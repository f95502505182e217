import * as oidc from 'openid-client';
import { RepotideError, toRepotideError } from '@core/domain';
import { type SignInConfig } from '@platform/config';
import { type Claims } from '../access/claims.js';

/** Minimum interval between attempts to read the provider's settings. */
const RETRY_AFTER_MS = 10_000;
const TIMEOUT_SECONDS = 10;

/** Random values that connect the start of a sign-in with its end, in the same browser. */
export interface Attempt {
  state: string;
  nonce: string;
  /** Of PKCE: only who began the sign-in can redeem its code. */
  verifier: string;
}

export function newAttempt(): Attempt {
  return { state: oidc.randomState(), nonce: oidc.randomNonce(), verifier: oidc.randomPKCECodeVerifier() };
}

/** The OpenID provider, as its discovery document describes it. The library checks state, nonce, signature, issuer and audience. */
export class IdentityProvider {
  private discovered: Promise<oidc.Configuration> | null = null;

  constructor(
    private readonly issuer: string,
    private readonly client: Readonly<SignInConfig>,
  ) {}

  private get callback(): string {
    return `${this.client.publicUrl}/auth/callback`;
  }

  /** The provider's page where a person signs in. @throws temporary `issuer_unavailable`. */
  async pageFor({ state, nonce, verifier }: Attempt): Promise<URL> {
    return oidc.buildAuthorizationUrl(await this.discover(), {
      redirect_uri: this.callback,
      scope: this.client.scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
  }

  /**
   * Redeems the code of a finished sign-in. Of the ID token and the user info, the ID token wins.
   * @param search the query of the callback, with its `?`.
   * @throws the errors of `openid-client`; temporary `issuer_unavailable`.
   */
  async claimsOf(search: string, { state, nonce, verifier }: Attempt): Promise<Claims> {
    const configuration = await this.discover();
    const tokens = await oidc.authorizationCodeGrant(configuration, new URL(this.callback + search), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (claims === undefined) throw new Error('The provider sent no ID token.');
    const { userinfo_endpoint: hasMore } = configuration.serverMetadata();
    const more = hasMore ? await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
    return { ...more, ...claims };
  }

  private discover(): Promise<oidc.Configuration> {
    this.discovered ??= this.readDocument().catch((thrown: unknown) => {
      setTimeout(() => (this.discovered = null), RETRY_AFTER_MS).unref();
      throw unavailable(this.issuer, thrown);
    });
    return this.discovered;
  }

  private async readDocument(): Promise<oidc.Configuration> {
    const { clientId, clientSecret } = this.client;
    const url = new URL(this.issuer);
    const found = await oidc.discovery(url, clientId, clientSecret, authenticationOf(clientSecret), {
      timeout: TIMEOUT_SECONDS,
      // Without the first, the library trusts TLS instead of the signature of an ID token that it fetched itself. With the
      // second, the operator chose an issuer without TLS, as for the keys of JSON web tokens.
      execute: [oidc.enableNonRepudiationChecks, ...(url.protocol === 'http:' ? [allowHttp] : [])],
    });
    if (found.serverMetadata().issuer !== this.issuer)
      throw new Error('its discovery document names another issuer than OIDC_ISSUER; both must be identical');
    return found;
  }
}

/** The library marks it as deprecated only to draw attention to what it allows. */
const allowHttp = oidc.allowInsecureRequests;

function authenticationOf(secret: string | undefined): oidc.ClientAuth {
  return secret === undefined ? oidc.None() : oidc.ClientSecretPost(secret);
}

function unavailable(issuer: string, cause: unknown): RepotideError {
  const reason = toRepotideError(cause).message;
  const message = `The sign-in page of ${new URL(issuer).origin} cannot be found: ${reason}. Check OIDC_ISSUER.`;
  return new RepotideError('temporary', 'issuer_unavailable', message, { cause });
}
