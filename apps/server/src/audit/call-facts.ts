import { type Request } from 'express';
import { type AuditOutcome, type AuditRecord, isLimited } from '@core/domain';
import { clientAddress } from '../http/client-address.js';
import { HttpProblem, type Problem } from '../http/problem.js';
import { contextOf, routeOf } from '../http/request-context.js';

type Facts = Omit<AuditRecord, 'kind' | 'action'>;

/** Who calls what from where. */
export function factsOf(request: Request): Facts {
  const { caller, requestId, begunAt } = contextOf(request);
  return {
    at: begunAt,
    ...(caller && { actorId: caller.id, actorName: caller.name, actorRole: caller.role }),
    clientAddress: clientAddress(request),
    method: request.method,
    route: routeOf(request) ?? null,
    requestId,
    subjectId: subjectIn(request.params),
  };
}

/** The record of a call that was refused because of its caller; null for any other problem, and when it has a record. */
export function refusalOf(request: Request, thrown: unknown, { status, code }: Problem): AuditRecord | null {
  const { caller, isAudited } = contextOf(request);
  const isHidden = status === 404 && caller !== null && isLimited(caller);
  const isRefused = thrown instanceof HttpProblem && [401, 403, 429].includes(status);
  if (isAudited || !(isHidden || isRefused)) return null;
  const what = { kind: 'refusal', action: 'access.refuse', outcome: 'refused', errorCode: code } as const;
  return { ...factsOf(request), ...what };
}

/** @param status of the problem; undefined: there was none. */
export function outcomeOf(status: number | undefined): AuditOutcome {
  if (status === undefined) return 'succeeded';
  return status >= 500 ? 'failed' : 'refused';
}

export const LONGEST_ID = 100;

function subjectIn(params: Request['params']): string | null {
  const [id] = ['id', 'repository_id', 'name']
    .map((name) => params[name])
    .filter((each) => typeof each === 'string');
  return id?.slice(0, LONGEST_ID) ?? null;
}
