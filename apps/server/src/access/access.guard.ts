import {
  Inject,
  Injectable,
  type CanActivate,
  type ExecutionContext,
  type OnModuleInit,
} from '@nestjs/common';
import { Reflector, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { type Caller, Clock, type Role } from '@core/domain';
import { type Config } from '@platform/config';
import { Authenticator } from './authenticator.js';
import { RateLimiter } from './rate-limiter.js';
import { CONFIG } from '../injection-tokens.js';
import { HttpProblem } from '../http/problem.js';
import { contextOf } from '../http/request-context.js';
import { ACCESS_METADATA, includesRole, type Access } from './role.js';

/** Accepts a request if its caller is authenticated, within the rate limit, and has the role that the route requires. */
@Injectable()
export class AccessGuard implements CanActivate {
  private readonly limiter: RateLimiter;

  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    @Inject(CONFIG) config: Pick<Config, 'http'>,
    clock: Clock,
  ) {
    this.limiter = new RateLimiter(config.http.rateLimitPerMinute, clock);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'open') return true;
    if (access === undefined) throw new Error(`${context.getClass().name} has a route without a role.`);
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const caller = await this.authenticator.callerOf(bearerTokenOf(request));
    contextOf(request).caller = caller;
    this.assertRate(caller, http.getResponse<Response>());
    assertRole(caller, access);
    return true;
  }

  /** Headers of https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/03/ */
  private assertRate(caller: Caller, response: Response): void {
    const { perMinute } = this.limiter;
    if (perMinute === 0) return;
    const { isAllowed, remaining, resetSeconds, retryAfterSeconds } = this.limiter.take(caller.id);
    response.setHeader('RateLimit-Limit', perMinute);
    response.setHeader('RateLimit-Remaining', remaining);
    response.setHeader('RateLimit-Reset', resetSeconds);
    if (isAllowed) return;
    throw new HttpProblem(
      429,
      'rate_limit_exceeded',
      `"${caller.name}" made more than ${perMinute} requests in a minute (API_RATE_LIMIT_PER_MINUTE). ` +
        `Try again in ${retryAfterSeconds} s.`,
      { 'Retry-After': String(retryAfterSeconds) },
    );
  }
}

/** @throws HttpProblem 401 `token_missing`. */
export function bearerTokenOf(request: Request): string {
  const [, token] = /^Bearer +(\S+)$/i.exec(request.get('authorization') ?? '') ?? [];
  if (token !== undefined) return token;
  throw new HttpProblem(401, 'token_missing', 'Send a token as "Authorization: Bearer <token>".', {
    'WWW-Authenticate': 'Bearer realm="repotide"',
  });
}

function assertRole(caller: Caller, needed: Role): void {
  if (includesRole(caller.role, needed)) return;
  throw new HttpProblem(
    403,
    'role_required',
    `This needs the role ${needed}; "${caller.name}" has ${caller.role}.`,
    { 'WWW-Authenticate': 'Bearer realm="repotide", error="insufficient_scope"' },
  );
}

/** Makes the start fail if a route has neither `@RequireRole` nor `@OpenRoute`. */
@Injectable()
export class AccessCheck implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  onModuleInit(): void {
    const undecided = this.discovery.getControllers().flatMap((wrapper) => {
      const controller = wrapper.metatype as (new () => object) | null;
      return controller ? this.undecidedRoutes(controller) : [];
    });
    if (undecided.length > 0) {
      throw new Error(`Routes without @RequireRole or @OpenRoute: ${undecided.join(', ')}.`);
    }
  }

  private undecidedRoutes(controller: new () => object): string[] {
    const prototype = controller.prototype as Record<string, () => unknown>;
    return this.scanner.getAllMethodNames(prototype).flatMap((name) => {
      const handler = prototype[name];
      if (!handler || !Reflect.hasMetadata(METHOD_METADATA, handler)) return [];
      const access = this.reflector.getAllAndOverride<unknown>(ACCESS_METADATA, [handler, controller]);
      return access === undefined ? [`${controller.name}.${name}`] : [];
    });
  }
}
