import {
  SetMetadata,
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { catchError, concatMap, from, mergeMap, type Observable } from 'rxjs';
import { AuditLog } from '@adapters/postgres';
import { errorFields, type AuditEntry, Logger } from '@core/domain';
import { problemOf } from '../../http/problem.js';
import { contextOf } from '../../http/request-context.js';
import { recordedChanges } from './recorded-changes.js';

export const AUDIT_METADATA = 'repotide:audit';

/**
 * Sets the action that the audit log records for a route, as `<subject>.<verb>`. Without it, the action comes from the
 * handler's name: `createSchedule` is recorded as `schedule.create`.
 */
export function Audited(action: `${string}.${string}`): MethodDecorator {
  return SetMetadata(AUDIT_METADATA, action);
}

/** A route with another method than GET that changes nothing, such as a search. */
export function NotAudited(): MethodDecorator & ClassDecorator {
  return SetMetadata(AUDIT_METADATA, false);
}

/**
 * Records every call that may change something: once before the call, so that no change is unrecorded, and again with
 * its result. A call that the guard refused changes nothing and appears only in the log.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly audit: AuditLog,
    private readonly logger: Logger,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const action = this.actionOf(context, request);
    const { caller, requestId } = contextOf(request);
    // Calls without a caller are probes and webhooks; webhooks are recorded as executions.
    if (action === null || caller === null) return next.handle();
    const subjectId = subjectIn(request.params);
    const begun = this.audit.begin({
      actor: caller,
      action,
      subjectType: action.split('.', 1)[0] ?? null,
      subjectId,
      reason: reasonIn(request),
      requestId,
    });
    return from(begun).pipe(
      mergeMap((entryId) =>
        next.handle().pipe(
          concatMap(async (answer: unknown) => {
            const changes = recordedChanges(request.body);
            const end = {
              outcome: 'succeeded',
              errorCode: null,
              subjectId: subjectOf(answer),
              changes,
            } as const;
            await this.complete(entryId, end);
            return answer;
          }),
          catchError(async (error: unknown) => {
            const { status, code } = problemOf(error);
            const outcome = status >= 500 ? 'failed' : 'refused';
            await this.complete(entryId, { outcome, errorCode: code, subjectId: null, changes: null });
            throw error;
          }),
        ),
      ),
    );
  }

  private actionOf(context: ExecutionContext, request: Request): string | null {
    if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return null;
    const handler = context.getHandler();
    const named = this.reflector.getAllAndOverride<string | false | undefined>(AUDIT_METADATA, [
      handler,
      context.getClass(),
    ]);
    if (named === false) return null;
    return named ?? actionOfHandler(handler.name);
  }

  /** Never throws: the change is done and its start is recorded, so an error would only make the caller repeat it. */
  private async complete(entryId: number, end: Parameters<AuditLog['complete']>[1]): Promise<void> {
    try {
      await this.audit.complete(entryId, end);
    } catch (thrown) {
      const fields = { audit_entry_id: entryId, outcome: end.outcome, ...errorFields(thrown) };
      this.logger.error(fields, 'The end of an audited call could not be recorded');
    }
  }
}

/** `pauseSchedule` -> `schedule.pause`. */
export function actionOfHandler(name: string): string {
  const [, verb = name, subject = ''] = /^([a-z]+)([A-Z].*)?$/.exec(name) ?? [];
  const noun = subject.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return noun === '' ? `api.${verb}` : `${noun}.${verb}`;
}

/** Characters that Postgres' `text` cannot store. */
const UNSTORABLE = /[\0\p{Surrogate}]/gu;

function subjectIn(params: Request['params']): AuditEntry['subjectId'] {
  const [id] = ['id', 'repository_id', 'name']
    .map((name) => params[name])
    .filter((each) => typeof each === 'string');
  return id?.slice(0, 100).replace(UNSTORABLE, '\u{FFFD}') ?? null;
}

/** The id of the created row. */
function subjectOf(answer: unknown): AuditEntry['subjectId'] {
  if (typeof answer !== 'object' || answer === null) return null;
  const id: unknown = 'id' in answer ? answer.id : undefined;
  return typeof id === 'string' ? id : null;
}

const LONGEST_REASON = 500;

function reasonIn(request: Request): string | null {
  const reason = request.query['reason'];
  if (typeof reason !== 'string' || reason === '') return null;
  return reason.slice(0, LONGEST_REASON).replace(UNSTORABLE, '\u{FFFD}');
}
