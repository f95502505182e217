import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import { type Caller, toRepotideError } from '@core/domain';
import { type Request, type Response } from 'express';
import { OpenRoute } from '../access/role.js';
import { CallerTokens } from '../access/caller-tokens.js';
import { assertSameOrigin, Cookie, isSessionToken } from '../access/session-cookie.js';
import { Throttle } from '../access/throttle.js';
import { AuditTrail } from '../audit/audit-trail.js';
import { factsOf } from '../audit/call-facts.js';
import { ApiRoute } from '../http/api-route.js';
import { NotAudited } from '../http/audited.js';
import { clientAddress } from '../http/client-address.js';
import { HttpProblem } from '../http/problem.js';
import { contextOf } from '../http/request-context.js';
import { type Attempt } from './identity-provider.js';
import { SignInOptionsDto } from './sign-in.schema.js';
import { refusedSignIn, SignInService } from './sign-in.service.js';

/** Time to type a password and a second factor. */
const ATTEMPT_SECONDS = 600;

/**
 * The sign-in of people with a browser. OpenID Connect describes its two redirects, so they are not in the API document. What connects its start and its end is in a cookie of that browser alone, so that any
 * pod can finish what another one began.
 */
@ApiTags('tokens')
@Controller('auth')
export class SignInController {
  private readonly attempts: Cookie | null;

  constructor(
    private readonly service: SignInService,
    private readonly callerTokens: CallerTokens,
    private readonly throttle: Throttle,
    private readonly trail: AuditTrail,
  ) {
    const { settings } = service;
    // The answer of the provider comes from another site, so its request has only lax cookies.
    this.attempts = settings && new Cookie('sign-in', settings.publicUrl, 'lax');
  }

  @Get('options')
  @OpenRoute()
  @ApiRoute({ summary: 'Show where people sign in', answers: SignInOptionsDto })
  async getSignInOptions() {
    return { provider: this.service.settings?.provider ?? null };
  }

  @Get('sign-in')
  @OpenRoute()
  @ApiExcludeEndpoint()
  async begin(@Res() response: Response): Promise<void> {
    const { publicUrl } = this.service.assertOn();
    try {
      const { attempt, page } = await this.service.begin();
      const value = [attempt.state, attempt.nonce, attempt.verifier].join('.');
      this.attempts?.set(response, value, ATTEMPT_SECONDS);
      redirect(response, page.href);
    } catch (thrown) {
      redirect(response, explanation(publicUrl, thrown));
    }
  }

  @Get('callback')
  @OpenRoute()
  @ApiExcludeEndpoint()
  async finish(@Req() request: Request, @Res() response: Response): Promise<void> {
    const settings = this.service.assertOn();
    const attempt = this.attempts?.read(request) ?? null;
    // A code can be redeemed once, and so can the attempt.
    this.attempts?.clear(response);
    try {
      const { caller, token } = await this.throttle.attempt(clientAddress(request), () =>
        this.service.finish(searchOf(request), attemptOf(attempt)),
      );
      await this.record(request, caller, 'session.create');
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
    const { settings } = this.service;
    const { cookie } = this.callerTokens;
    const token = cookie?.read(request);
    if (!settings || !cookie || typeof token !== 'string' || !isSessionToken(token)) return;
    assertSameOrigin(request, settings.publicUrl);
    await this.service.end(token);
    cookie.clear(response);
  }

  private async record(request: Request, caller: Caller, action: 'session.create'): Promise<void> {
    contextOf(request).caller = caller;
    await this.trail.recordNow({
      ...factsOf(request),
      ...{ kind: 'change', action, subjectType: 'session', outcome: 'succeeded' },
    });
  }
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
