import { Inject, Injectable } from '@nestjs/common';
import { type Config } from '@platform/config';
import { type Request } from 'express';
import { HttpProblem } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { assertSameOrigin, Cookie, isSessionToken } from './session-cookie.js';

/** Finds the token of a request: in its `Authorization` header, or in the cookie of a session. */
@Injectable()
export class CallerTokens {
  /** Null: people cannot sign in. */
  readonly cookie: Cookie | null;
  private readonly publicUrl: string;

  constructor(@Inject(CONFIG) { auth }: Pick<Config, 'auth'>) {
    this.publicUrl = auth.signIn?.publicUrl ?? '';
    this.cookie = auth.signIn ? new Cookie('session', auth.signIn.publicUrl, 'strict') : null;
  }

  /** @throws HttpProblem 401 `token_missing`; 403 `cross_site_request`. */
  of(request: Request): string {
    const header = request.get('authorization');
    const [, token] = /^Bearer +(\S+)$/i.exec(header ?? '') ?? [];
    if (token !== undefined) return token;
    const session = header === undefined ? this.cookie?.read(request) : null;
    // Another kind of token is refused here, although it is valid in a header.
    if (typeof session === 'string' && isSessionToken(session)) {
      assertSameOrigin(request, this.publicUrl);
      return session;
    }
    throw new HttpProblem(401, 'token_missing', 'Send a token as "Authorization: Bearer <token>".', {
      'WWW-Authenticate': 'Bearer realm="repotide"',
    });
  }
}
