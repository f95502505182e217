import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type Request } from 'express';
import { catchError, concatMap, from, mergeMap, type Observable } from 'rxjs';
import { type AuditRecord, errorFields, Logger } from '@core/domain';
import { type RouteSubject, SUBJECT_METADATA } from '../http/parameters.js';
import { problemOf } from '../http/problem.js';
import { contextOf } from '../http/request-context.js';
import { AuditTrail } from './audit-trail.js';
import { AUDIT_METADATA, type AuditedCall } from '../http/audited.js';
import { factsOf, LONGEST_ID, outcomeOf } from './call-facts.js';
import { recordedChanges } from './recorded-changes.js';

type Call = Exclude<AuditedCall, false>;

/**
 * Records every call that may change something: once before the call, so that no change is unrecorded, and again with
 * its result. Of reads and exports only the result is recorded. Refusals of the guard are recorded by the filter.
 */
@Injectable()
export class AuditInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly trail: AuditTrail,
    private readonly logger: Logger,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<Request>();
    const call = this.callOf(context, request);
    const known = contextOf(request);
    // Calls without a caller are probes and webhooks; webhooks are recorded as executions.
    if (call === false || known.caller === null) return next.handle();
    known.isAudited = true;
    const record: AuditRecord = {
      ...factsOf(request),
      ...call,
      subjectType: call.action.split('.', 1)[0] ?? null,
      repositoryIds: this.subjectRepository(context, request),
      reason: reasonIn(request),
    };
    const isChange = call.kind === 'change';
    const end = isChange ? this.endChange.bind(this) : this.endRead.bind(this);
    return from(isChange ? this.trail.recordNow(record) : Promise.resolve(null)).pipe(
      mergeMap((beginId) =>
        next.handle().pipe(
          concatMap(async (answer: unknown) => {
            const subjectId = record.subjectId ?? idOf(answer);
            await end({ ...record, beginId, subjectId, outcome: 'succeeded' }, request, answer);
            return answer;
          }),
          catchError(async (error: unknown) => {
            const { status, code } = problemOf(error);
            await end({ ...record, beginId, outcome: outcomeOf(status), errorCode: code }, request);
            throw error;
          }),
        ),
      ),
    );
  }

  private callOf(context: ExecutionContext, request: Request): AuditedCall {
    const handler = context.getHandler();
    const decided = this.reflector.getAllAndOverride<AuditedCall | undefined>(AUDIT_METADATA, [
      handler,
      context.getClass(),
    ]);
    if (decided !== undefined) return decided;
    if (['GET', 'HEAD', 'OPTIONS'].includes(request.method)) return false;
    return { kind: 'change', action: actionOfHandler(handler.name) } satisfies Call;
  }

  /** The repository of a route about one repository. */
  private subjectRepository(context: ExecutionContext, { params }: Request): string[] | null {
    const subject = this.reflector.get<RouteSubject | undefined>(SUBJECT_METADATA, context.getHandler());
    const id = subject?.of === 'repository' ? params[subject.name] : undefined;
    return typeof id === 'string' ? [id.slice(0, LONGEST_ID)] : null;
  }

  /** Never throws: the change is done and its start is recorded, so an error would only make the caller repeat it. */
  private async endChange(record: AuditRecord, request: Request): Promise<void> {
    const changes = record.outcome === 'succeeded' ? recordedChanges(request.body) : null;
    try {
      await this.trail.recordNow({ ...record, changes });
    } catch (thrown) {
      const fields = { audit_id: record.beginId, outcome: record.outcome, ...errorFields(thrown) };
      this.logger.error(fields, 'The end of an audited call could not be recorded; it is tried again');
      this.trail.record({ ...record, changes });
    }
  }

  private async endRead(record: AuditRecord, request: Request, answer?: unknown): Promise<void> {
    const query = queryIn(request.body);
    const repositoryIds = record.repositoryIds ?? repositoriesIn(answer);
    // The database has just answered the read, or its failure is what is recorded.
    const queryHash = query === null ? null : await this.trail.fingerprint(query).catch(() => null);
    this.trail.record({ ...record, repositoryIds, queryHash });
  }
}

/** `pauseSchedule` -> `schedule.pause`. */
export function actionOfHandler(name: string): string {
  const [, verb = name, subject = ''] = /^([a-z]+)([A-Z].*)?$/.exec(name) ?? [];
  const noun = subject.replace(/(?<=.)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return noun === '' ? `api.${verb}` : `${noun}.${verb}`;
}

/** The id of the created row. */
function idOf(answer: unknown): string | null {
  if (typeof answer !== 'object' || answer === null) return null;
  const id: unknown = 'id' in answer ? answer.id : undefined;
  return typeof id === 'string' ? id : null;
}

/** The repositories of the rows of an answer. */
function repositoriesIn(answer: unknown): string[] | null {
  const { items } = (answer ?? {}) as { items?: readonly { repository_id?: unknown }[] };
  const ids = (items ?? []).map((item) => item.repository_id).filter((id) => typeof id === 'string');
  return ids.length === 0 ? null : [...new Set(ids)];
}

function queryIn(body: unknown): string | null {
  const { query } = (body ?? {}) as { query?: unknown };
  return typeof query === 'string' ? query.trim() : null;
}

const LONGEST_REASON = 500;

function reasonIn(request: Request): string | null {
  const reason = request.query['reason'];
  return typeof reason !== 'string' || reason === '' ? null : reason.slice(0, LONGEST_REASON);
}
