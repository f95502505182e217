import { SetMetadata } from '@nestjs/common';
import { type AuditKind } from '@core/domain';

export const AUDIT_METADATA = 'repotide:audit';

/** What the audit log records about a route; false: nothing. */
export type AuditedCall = { kind: AuditKind; action: string } | false;
type Action = `${string}.${string}`;

/**
 * Sets the action that the audit log records for a route, as `<subject>.<verb>`. Without it, the action comes from the
 * handler's name: `createSchedule` is recorded as `schedule.create`.
 */
export const Audited = (action: Action) => audited({ kind: 'change', action });

/** A route that shows code or names of files; each call is recorded with the repositories of its answer. */
export const ReadsCode = (action: Action) => audited({ kind: 'read', action });

/** A route that answers all rows at once. */
export const Exports = (action: Action) => audited({ kind: 'export', action });

/** A route with another method than GET that changes nothing, or that records by itself. */
export const NotAudited = () => audited(false);

function audited(call: AuditedCall): MethodDecorator & ClassDecorator {
  return SetMetadata(AUDIT_METADATA, call);
}
