import { Injectable, type CanActivate, type ExecutionContext, type OnModuleInit } from '@nestjs/common';
import { Reflector, DiscoveryService, MetadataScanner } from '@nestjs/core';
import { type Request, type Response } from 'express';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import { type Caller, type Role } from '@core/domain';
import { Authenticator } from './authenticator.js';
import { CallerTokens } from './caller-tokens.js';
import { clientAddress } from '../http/client-address.js';
import { ScopeCheck } from './scope-check.js';
import { Throttle } from './throttle.js';
import { hashToken } from './api-token.js';
import { HttpProblem } from '../http/problem.js';
import { readJson } from '../http/read-body.js';
import { contextOf } from '../http/request-context.js';
import { ACCESS_METADATA, includesRole, type Access } from './role.js';

/**
 * Accepts a request if its caller is within the limits, authenticated, and has the role and the scope that the route
 * requires, in this order. Only then the body is read.
 */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly throttle: Throttle,
    private readonly scopes: ScopeCheck,
    private readonly callerTokens: CallerTokens,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS_METADATA, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'open') return true;
    if (access === undefined) throw new Error(`${context.getClass().name} has a route without a role.`);
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const caller = await this.callerOf(request, http.getResponse<Response>());
    const known = contextOf(request);
    known.caller = caller;
    assertRole(caller, access);
    const route = { handler: context.getHandler() as () => unknown, params: request.params };
    known.visible = await this.scopes.admit(caller, route);
    request.body = await readJson(request);
    return true;
  }

  private async callerOf(request: Request, response: Response): Promise<Caller> {
    const token = this.callerTokens.of(request);
    const { caller, limit } = await this.throttle.identify(clientAddress(request), hashToken(token), () =>
      this.authenticator.callerOf(token),
    );
    if (limit !== null) {
      for (const [name, value] of Object.entries(this.throttle.headersOf(limit)))
        response.setHeader(name, value);
    }
    return caller;
  }
}

function assertRole(caller: Caller, needed: Role): void {
  if (includesRole(caller.role, needed)) return;
  const detail = `This needs the role ${needed}; "${caller.name}" has ${caller.role}.`;
  throw new HttpProblem(403, 'role_required', detail, {
    'WWW-Authenticate': 'Bearer realm="repotide", error="insufficient_scope"',
  });
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
