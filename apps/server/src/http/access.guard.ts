import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { type ApiToken, type Role, type TokenStore } from '@core/domain';
import { TOKEN_STORE } from '../tokens.js';
import { HttpProblem } from './http-problem.js';
import { contextOf } from './request-context.js';
import { ACCESS_METADATA, includesRole, type Access } from './role.js';
import { hashToken } from './token-hash.js';

/** Lets a request pass when its bearer token's role includes the one that the route asks for. */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    @Inject(TOKEN_STORE) private readonly tokens: TokenStore,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'open') return true;
    if (access === undefined) throw new Error(`${context.getClass().name} has a route without a role.`);
    const request = context.switchToHttp().getRequest<Request>();
    const token = await this.authenticate(request);
    contextOf(request).token = token;
    assertRole(token, access);
    return true;
  }

  private async authenticate(request: Request): Promise<ApiToken> {
    const [, clearText] = /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '') ?? [];
    if (clearText === undefined) {
      throw new HttpProblem(401, 'token_missing', 'Send a token as "Authorization: Bearer <token>".', {
        'WWW-Authenticate': 'Bearer realm="repotide"',
      });
    }
    // Compared by hash in an index: timing tells nothing about the token.
    const token = await this.tokens.findByHash(hashToken(clearText));
    if (token) return token;
    throw new HttpProblem(401, 'token_rejected', 'The token is unknown, expired or revoked.', {
      'WWW-Authenticate': 'Bearer realm="repotide", error="invalid_token"',
    });
  }
}

function assertRole(token: ApiToken, needed: Role): void {
  if (includesRole(token.role, needed)) return;
  throw new HttpProblem(
    403,
    'role_required',
    `This needs the role ${needed}; the token "${token.name}" has ${token.role}.`,
    { 'WWW-Authenticate': 'Bearer realm="repotide", error="insufficient_scope"' },
  );
}
