import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { UserSessions } from '@adapters/postgres';
import { type Caller, Logger, RepotideError, toRepotideError } from '@core/domain';
import { type Config, type SignInConfig } from '@platform/config';
import { callerOfClaims, isSubject } from '../access/claims.js';
import { sessionToken } from '../access/session-cookie.js';
import { hashToken } from '../access/tokens.service.js';
import { HttpProblem } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { type Attempt, IdentityProvider, newAttempt } from './identity-provider.js';

/** Lets people sign in at the OpenID provider, and begins and ends their sessions. No state is in this process. */
@Injectable()
export class SignInService {
  private readonly provider: IdentityProvider | null;

  constructor(
    private readonly sessions: UserSessions,
    private readonly logger: Logger,
    @Inject(CONFIG) private readonly config: Pick<Config, 'auth'>,
  ) {
    const { oidc, signIn } = config.auth;
    this.provider = oidc && signIn ? new IdentityProvider(oidc.issuer, signIn) : null;
  }

  /** Null: people cannot sign in. */
  get settings(): Readonly<SignInConfig> | null {
    return this.config.auth.signIn ?? null;
  }

  /** @throws HttpProblem 404 `sign_in_off`. */
  assertOn(): Readonly<SignInConfig> {
    const { settings } = this;
    if (settings === null) throw signInOff();
    return settings;
  }

  /** @throws HttpProblem 404 `sign_in_off`; temporary `issuer_unavailable`. */
  async begin(): Promise<{ attempt: Attempt; page: URL }> {
    const attempt = newAttempt();
    return { attempt, page: await this.opened().pageFor(attempt) };
  }

  /**
   * Ends an attempt, and begins a session.
   * @returns the person, and the value of its cookie.
   * @throws HttpProblem 401 `sign_in_refused`, 403 `role_required`, 404 `sign_in_off`; temporary `issuer_unavailable`.
   */
  async finish(search: string, attempt: Attempt): Promise<{ caller: Caller; token: string }> {
    const provider = this.opened();
    const { oidc, signIn } = this.config.auth;
    if (!oidc || !signIn) throw signInOff();
    const claims = await provider.claimsOf(search, attempt).catch((thrown: unknown) => {
      if (thrown instanceof RepotideError) throw thrown;
      // The provider's words may hold the code or a token.
      throw this.refused(codeOf(thrown));
    });
    if (!isSubject(claims['sub'])) throw this.refused('subject_invalid');
    const caller = callerOfClaims(claims, oidc);
    const token = sessionToken(randomBytes(32).toString('base64url'));
    await this.sessions.create({ tokenHash: hashToken(token), caller, lifeSeconds: signIn.lifeSeconds });
    return { caller, token };
  }

  /** Repeating is harmless. */
  async end(token: string): Promise<void> {
    await this.sessions.end(hashToken(token));
  }

  private refused(reason: string): HttpProblem {
    this.logger.warn({ error_code: reason }, 'A sign-in was refused');
    return refusedSignIn();
  }

  private opened(): IdentityProvider {
    if (this.provider === null) throw signInOff();
    return this.provider;
  }
}

export function refusedSignIn(): HttpProblem {
  const detail = 'The sign-in was refused, took too long, or was begun in another browser. Begin again.';
  return new HttpProblem(401, 'sign_in_refused', detail);
}

function signInOff(): HttpProblem {
  const detail = 'People cannot sign in here: OIDC_CLIENT_ID is not set. Use an API token.';
  return new HttpProblem(404, 'sign_in_off', detail);
}

/** The name of an error of the library, e.g. OAUTH_RESPONSE_BODY_ERROR. */
function codeOf(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  return typeof code === 'string' ? code : toRepotideError(thrown).code;
}
