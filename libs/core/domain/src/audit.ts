import { type Caller } from './access.js';

export const AUDIT_OUTCOMES = ['succeeded', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** An `audit_log` row: a call that changed something or tried to. */
export interface AuditEntry {
  id: number;
  at: Date;
  actorId: string;
  actorName: string;
  actorRole: Caller['role'];
  /** `<subject>.<verb>`, e.g. `schedule.update`. */
  action: string;
  subjectType: string | null;
  subjectId: string | null;
  reason: string | null;
  requestId: string;
  /** Null while the call runs, and if the process died during it. */
  outcome: AuditOutcome | null;
  errorCode: string | null;
  /** The requested values with secrets masked; null unless the call succeeded. */
  changes: Readonly<Record<string, unknown>> | null;
}

export interface AuditFilter {
  actorId?: string;
  action?: string;
  subjectType?: string;
  subjectId?: string;
  outcome?: AuditOutcome;
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
}
