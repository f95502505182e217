import { createRemoteJWKSet, errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { RepotideError, toRepotideError, type Caller } from '@core/domain';
import { type OidcConfig } from '@platform/config';
import { HttpProblem } from '../http/problem.js';
import { callerOfClaims, isSubject } from './claims.js';

/** Only asymmetric signatures: with a shared secret, everyone who can verify a token can also forge one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];
/** Allowed clock difference between the issuer and this machine. */
const CLOCK_TOLERANCE_SECONDS = 30;
const REQUEST_TIMEOUT_MS = 5_000;
/** Keys change rarely, so they are cached. */
const KEYS_KEPT_MS = 600_000;
/** Minimum interval between requests for the keys when a key is unknown or the last request failed. */
const RETRY_AFTER_MS = 10_000;

/** A token with a longer life cannot be withdrawn. */
const LONGEST_LIFE_SECONDS = 86_400;

/** Whether a bearer token has the form of a JSON web token; API tokens have no dots. */
export function isJsonWebToken(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);
}

/** Checks tokens of one issuer: signature, issuer, audience, lifetime. */
export class JsonWebTokenVerifier {
  private keys: Promise<JWTVerifyGetKey> | null = null;

  constructor(private readonly oidc: Readonly<OidcConfig> & { readonly audience: string }) {}

  /** @throws HttpProblem 401 `token_rejected`, 403 `role_required`; temporary `issuer_unavailable`. */
  async callerOf(token: string): Promise<Caller> {
    return callerOfClaims(await this.verify(token), this.oidc);
  }

  private async verify(token: string): Promise<JWTPayload> {
    const { issuer, audience } = this.oidc;
    const keys = await this.findKeys();
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: ALGORITHMS,
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        requiredClaims: ['exp', 'sub'],
      });
      if (!isUsable(payload, protectedHeader.typ, audience)) throw rejected();
      return payload;
    } catch (error) {
      if (error instanceof HttpProblem) throw error;
      throw isAboutToken(error) ? rejected() : issuerUnavailable(issuer, error);
    }
  }

  /** Fetched for the first token, so that the service starts while the issuer is down. */
  private findKeys(): Promise<JWTVerifyGetKey> {
    this.keys ??= this.openKeys().catch((error: unknown) => {
      setTimeout(() => (this.keys = null), RETRY_AFTER_MS).unref();
      throw issuerUnavailable(this.oidc.issuer, error);
    });
    return this.keys;
  }

  private async openKeys(): Promise<JWTVerifyGetKey> {
    const url = await discoverKeys(this.oidc.issuer);
    return createRemoteJWKSet(new URL(url), {
      timeoutDuration: REQUEST_TIMEOUT_MS,
      cacheMaxAge: KEYS_KEPT_MS,
      cooldownDuration: RETRY_AFTER_MS,
    });
  }
}

/** By OpenID Connect Discovery 1.0, `issuer` in the document must equal the requested issuer. */
async function discoverKeys(issuer: string): Promise<string> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const response = await fetch(url, { signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS), redirect: 'error' });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const document = (await response.json()) as { issuer?: unknown; jwks_uri?: unknown };
  if (document.issuer !== issuer) {
    throw new Error(`${url} names another issuer than OIDC_ISSUER; both must be identical`);
  }
  if (typeof document.jwks_uri !== 'string' || !URL.canParse(document.jwks_uri)) {
    throw new Error(`${url} contains no jwks_uri`);
  }
  return document.jwks_uri;
}

/** Checks what the signature does not: that the token was made for requests to this service. */
function isUsable(claims: JWTPayload, headerType: string | undefined, audience: string): boolean {
  const { sub, exp = Infinity } = claims;
  const livesTooLong = exp - Date.now() / 1000 > LONGEST_LIFE_SECONDS + CLOCK_TOLERANCE_SECONDS;
  // The client that the token was issued to, by OpenID Connect Core 1.0. A token of another client is not for us.
  const isForeign = claims['azp'] !== undefined && claims['azp'] !== audience;
  return isSubject(sub) && !livesTooLong && !isForeign && !isIdToken(claims, headerType);
}

/** An ID token proves a sign-in to one client and is no permission to call a service. RFC 9068 marks access tokens. */
function isIdToken(claims: JWTPayload, headerType = 'JWT'): boolean {
  const type = headerType.toLowerCase().replace(/^application\//, '');
  if (type === 'at+jwt') return false;
  if (type !== 'jwt') return true;
  if (typeof claims['typ'] === 'string' && claims['typ'].toLowerCase() !== 'bearer') return true;
  if (claims['token_use'] !== undefined && claims['token_use'] !== 'access') return true;
  // Older versions of Keycloak put `nonce` into access tokens, which it marks by `typ`.
  const marks = claims['typ'] === undefined ? ['at_hash', 'c_hash', 'nonce'] : ['at_hash', 'c_hash'];
  return marks.some((name) => claims[name] !== undefined);
}

/** Whether the token is invalid. All other errors of the library mean that the issuer is unavailable. */
function isAboutToken(error: unknown): boolean {
  return (
    error instanceof errors.JWTExpired ||
    error instanceof errors.JWTClaimValidationFailed ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWSSignatureVerificationFailed ||
    error instanceof errors.JOSEAlgNotAllowed ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys
  );
}

/** The same message for every reason, so that guessing tokens reveals nothing. */
export function rejected(): HttpProblem {
  return new HttpProblem(401, 'token_rejected', 'The token is unknown, expired or revoked.', {
    'WWW-Authenticate': 'Bearer realm="repotide", error="invalid_token"',
  });
}

function issuerUnavailable(issuer: string, cause: unknown): RepotideError {
  const reason = toRepotideError(cause).message;
  const message = `The keys of ${new URL(issuer).origin} cannot be read: ${reason}. Check OIDC_ISSUER.`;
  return new RepotideError('temporary', 'issuer_unavailable', message, { cause });
}
