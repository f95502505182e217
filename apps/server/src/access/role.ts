import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension } from '@nestjs/swagger';
import { type Role } from '@core/domain';
import { ApiProblem } from '../http/api-route.js';
import { contextOf, fromRequest } from '../http/request-context.js';

export const ACCESS_METADATA = 'repotide:access';
/** The OpenAPI extension that names the role that an operation requires. */
const ROLE_EXTENSION = 'x-required-role';
/** A role, or `open` for routes that need no token. */
export type Access = Role | 'open';

const RANK: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** Whether a token's role includes the needed one: viewer < operator < admin. */
export function includesRole(held: Role, needed: Role): boolean {
  return RANK[held] >= RANK[needed];
}

/** The lowest role that may call a route. The service starts only if each route has this or {@link OpenRoute}. */
export function RequireRole(role: Role): MethodDecorator & ClassDecorator {
  return applyDecorators(
    SetMetadata(ACCESS_METADATA, role),
    ApiBearerAuth(),
    ApiExtension(ROLE_EXTENSION, role),
    ApiProblem(401, 'The token is missing, unknown, expired or revoked.'),
    ApiProblem(403, `The token's role is less than ${role}.`),
    ApiProblem(429, '`rate_limit_exceeded`, `too_many_failures`: `Retry-After` says when to try again.'),
  );
}

/** A route that needs no token: probes, documents, and routes with another proof, such as webhooks. */
export function OpenRoute(): MethodDecorator & ClassDecorator {
  return SetMetadata(ACCESS_METADATA, 'open' satisfies Access);
}

/** The caller's name; stored as `requested_by`. */
export const CallerName = fromRequest((request) => contextOf(request).caller?.name ?? null);
