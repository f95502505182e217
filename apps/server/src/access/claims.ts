import { type Caller, type Role, type Scope, SCOPE_PATTERN, scopeOf } from '@core/domain';
import { type OidcConfig } from '@platform/config';
import { HttpProblem } from '../http/problem.js';
import { includesRole } from './role.js';

/** What a provider says about a person or a program. */
export type Claims = Readonly<Record<string, unknown>>;

const LONGEST_NAME = 200;
/** The longest subject that OpenID Connect allows. */
const LONGEST_SUBJECT = 255;
/** Postgres stores no NUL, so what such a person does would be missing in the audit log. */
const CONTROL = /\p{Cc}/u;

/** Whether a value can identify a person or a program. */
export function isSubject(sub: unknown): sub is string {
  return typeof sub === 'string' && sub.trim() !== '' && sub.length <= LONGEST_SUBJECT && !CONTROL.test(sub);
}

/** The caller that claims with a valid subject describe: name, role and scope. @throws HttpProblem 403 `role_required`. */
export function callerOfClaims(claims: Claims, oidc: Readonly<OidcConfig>): Caller {
  const { sub, preferred_username: username, nickname, email } = claims;
  const name = [username, nickname, email, sub].find(
    (each) => typeof each === 'string' && each !== '' && !CONTROL.test(each),
  ) as string;
  const role = roleIn(claims, oidc);
  if (role === null) {
    const claim = oidc.roleClaim.join('.');
    const detail = `The token of "${name}" gives no role: no value of its claim "${claim}" is in OIDC_ROLE_MAP, and OIDC_DEFAULT_ROLE is none.`;
    throw new HttpProblem(403, 'role_required', detail, {
      'WWW-Authenticate': 'Bearer realm="repotide", error="insufficient_scope"',
    });
  }
  const caller = {
    id: `oidc:${String(sub)}`,
    name: name.slice(0, LONGEST_NAME),
    role,
    scope: scopeIn(claims, oidc),
  };
  return oidc.memberClaim === null ? caller : { ...caller, gitlabUserId: userIdIn(claims, oidc.memberClaim) };
}

function scopeIn(claims: Claims, { scopeClaim, patternsByValue }: Readonly<OidcConfig>): Scope {
  if (scopeClaim === null) return null;
  const values = valuesAt(claims, scopeClaim);
  const patterns = patternsByValue
    ? patternsByValue.filter(([value]) => values.includes(value)).map(([, pattern]) => pattern)
    : groupPaths(values);
  return scopeOf(patterns);
}

function roleIn(claims: Claims, { roleByValue, roleClaim, defaultRole }: Readonly<OidcConfig>): Role | null {
  const given = valuesAt(claims, roleClaim)
    .filter((value) => Object.hasOwn(roleByValue, value))
    .map((value) => roleByValue[value] as Role);
  return given.reduce<Role | null>(
    (best, role) => (best !== null && includesRole(best, role) ? best : role),
    defaultRole,
  );
}

/** Null for a person without a number at GitLab, who then sees nothing. */
function userIdIn(claims: Claims, claim: readonly string[]): number | null {
  const [text = ''] = valuesAt(claims, claim);
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}

/** A path of a group as the claim names it; Keycloak's begin with a slash. Wildcards have no meaning there. */
function groupPaths(values: readonly string[]): string[] {
  return values
    .map((value) => value.replace(/^\//, ''))
    .filter((value) => SCOPE_PATTERN.test(value) && !/[*?:]/.test(value));
}

function valuesAt(claims: Claims, path: readonly string[]): string[] {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
    value = (value as Record<string, unknown>)[name];
  }
  return [value]
    .flat()
    .map((each: unknown) => (Number.isSafeInteger(each) ? String(each) : each))
    .filter((each) => typeof each === 'string');
}
