import { randomBytes } from 'node:crypto';
import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { UserSessions } from '@adapters/postgres';
import { type Caller, Logger, RepotideError, toRepotideError } from '@core/domain';
import { type Config } from '@platform/config';
import { type Request, type Response } from 'express';
import { hashToken } from '../access/api-token.js';
import { OpenRoute } from '../access/role.js';
import { CallerTokens } from '../access/caller-tokens.js';
import { callerOfClaims, isSubject } from '../access/claims.js';
import { assertSameOrigin, Cookie, isSessionToken, sessionToken } from '../access/session-cookie.js';
import { Throttle } from '../access/throttle.js';
import { SignInOptionsDto } from '../access/token.schema.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { factsOf } from '../audit/call-facts.js';
import { ApiRoute } from '../http/api-route.js';
import { NotAudited } from '../http/audited.js';
import { clientAddress } from '../http/client-address.js';
import { HttpProblem } from '../http/problem.js';
import { contextOf } from '../http/request-context.js';
import { CONFIG } from '../injection-tokens.js';
import { type Attempt, IdentityProvider, newAttempt } from './identity-provider.js';

/** Time to type a password and a second factor. */
const ATTEMPT_SECONDS = 600;

/**
 * The sign-in of people with a browser at the OpenID provider, and their sessions. OpenID Connect describes its two
 * redirects, so they are not in the API document. What connects its start and its end is in a cookie of that browser alone,
 * so that any pod can finish what another one began.
 */
@ApiTags('tokens')
@Controller('auth')
export class SignInController {
  /** Null: people cannot sign in. */
  private readonly signIn: ReturnType<typeof openSignIn>;

  constructor(
    private readonly sessions: UserSessions,
    private readonly callerTokens: CallerTokens,
    private readonly throttle: Throttle,
    private readonly trail: AuditTrail,
    private readonly logger: Logger,
    @Inject(CONFIG) config: Pick<Config, 'auth'>,
  ) {
    this.signIn = openSignIn(config.auth);
  }

  @Get('options')
  @OpenRoute()
  @ApiRoute({ summary: 'Show where people sign in', answers: SignInOptionsDto })
  async getSignInOptions() {
    return { provider: this.signIn?.settings.provider ?? null };
  }

  @Get('sign-in')
  @OpenRoute()
  @ApiExcludeEndpoint()
  async begin(@Res() response: Response): Promise<void> {
    const { settings, provider, attempts } = this.assertOn();
    try {
      const attempt = newAttempt();
      const page = await provider.pageFor(attempt);
      const value = [attempt.state, attempt.nonce, attempt.verifier].join('.');
      attempts.set(response, value, ATTEMPT_SECONDS);
      redirect(response, page.href);
    } catch (thrown) {
      redirect(response, explanation(settings.publicUrl, thrown));
    }
  }

  @Get('callback')
  @OpenRoute()
  @ApiExcludeEndpoint()
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    const { settings, attempts } = this.assertOn();
    const attempt = attempts.read(request);
    // A code can be redeemed once, and so can the attempt.
    attempts.clear(response);
    try {
      const { caller, token } = await this.throttle.attempt(clientAddress(request), () =>
        this.beginSession(searchOf(request), attemptOf(attempt)),
      );
      await this.record(request, caller);
      this.callerTokens.cookie?.set(response, token, settings.lifeSeconds);
      redirect(response, `${settings.publicUrl}/`);
    } catch (thrown) {
      redirect(response, explanation(settings.publicUrl, thrown));
    }
  }

  @Post('sign-out')
  @OpenRoute()
  @NotAudited()
  @ApiRoute({
    summary: 'End the session of the cookie',
    description: 'No pod accepts it any more; repeating changes nothing.',
    status: 204,
    problems: { 403: '`cross_site_request`: a page of another site sent it.' },
  })
  async signOut(@Req() request: Request, @Res({ passthrough: true }) response: Response): Promise<void> {
    const { cookie } = this.callerTokens;
    const token = cookie?.read(request);
    if (!this.signIn || !cookie || typeof token !== 'string' || !isSessionToken(token)) return;
    assertSameOrigin(request, this.signIn.settings.publicUrl);
    await this.sessions.end(hashToken(token));
    cookie.clear(response);
  }

  /**
   * @returns the person, and the value of its cookie.
   * @throws HttpProblem 401 `sign_in_refused`, 403 `role_required`; temporary `issuer_unavailable`.
   */
  private async beginSession(search: string, attempt: Attempt): Promise<{ caller: Caller; token: string }> {
    const { settings, provider, oidc } = this.assertOn();
    const claims = await provider.claimsOf(search, attempt).catch((thrown: unknown) => {
      if (thrown instanceof RepotideError) throw thrown;
      // The provider's words may hold the code or a token.
      throw this.refused(codeOf(thrown));
    });
    if (!isSubject(claims['sub'])) throw this.refused('subject_invalid');
    const caller = callerOfClaims(claims, oidc);
    const token = sessionToken(randomBytes(32).toString('base64url'));
    await this.sessions.create({ tokenHash: hashToken(token), caller, lifeSeconds: settings.lifeSeconds });
    return { caller, token };
  }

  private async record(request: Request, caller: Caller): Promise<void> {
    contextOf(request).caller = caller;
    await this.trail.recordNow({
      ...factsOf(request),
      ...{ kind: 'change', action: 'session.create', subjectType: 'session', outcome: 'succeeded' },
    });
  }

  private refused(reason: string): HttpProblem {
    this.logger.warn({ error_code: reason }, 'A sign-in was refused');
    return refusedSignIn();
  }

  /** @throws HttpProblem 404 `sign_in_off`. */
  private assertOn() {
    if (this.signIn) return this.signIn;
    const detail = 'People cannot sign in here: OIDC_CLIENT_ID is not set. Use an API token.';
    throw new HttpProblem(404, 'sign_in_off', detail);
  }
}

function openSignIn({ oidc, signIn: settings }: Config['auth']) {
  if (!oidc || !settings) return null;
  // The answer of the provider comes from another site, so its request has only lax cookies.
  const attempts = new Cookie('sign-in', settings.publicUrl, 'lax');
  return { oidc, settings, provider: new IdentityProvider(oidc.issuer, settings), attempts };
}

function redirect(response: Response, address: string): void {
  response.setHeader('Cache-Control', 'no-store');
  response.redirect(302, address);
}

/** The address of the dashboard, which puts the problem into words: a person would see only JSON here. */
function explanation(publicUrl: string, thrown: unknown): string {
  const code = thrown instanceof HttpProblem ? thrown.code : toRepotideError(thrown).code;
  return `${publicUrl}/#/?problem=${encodeURIComponent(code)}`;
}

function searchOf({ originalUrl }: Request): string {
  const at = originalUrl.indexOf('?');
  return at < 0 ? '' : originalUrl.slice(at);
}

/** @throws HttpProblem 401 `sign_in_refused`, when this browser began no sign-in. */
function attemptOf(value: string | null): Attempt {
  const [state, nonce, verifier, ...more] = (value ?? '').split('.');
  if (state && nonce && verifier && more.length === 0) return { state, nonce, verifier };
  throw refusedSignIn();
}

function refusedSignIn(): HttpProblem {
  const detail = 'The sign-in was refused, took too long, or was begun in another browser. Begin again.';
  return new HttpProblem(401, 'sign_in_refused', detail);
}

/** The name of an error of the library, e.g. OAUTH_RESPONSE_BODY_ERROR. */
function codeOf(thrown: unknown): string {
  const { code } = thrown as { code?: unknown };
  return typeof code === 'string' ? code : toRepotideError(thrown).code;
}
