import { type Caller } from './access.js';

export const AUDIT_OUTCOMES = ['succeeded', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** An `audit_log` row: a call that changes something, or tried to. */
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
  /** Null while it runs, and when the process died in it. */
  outcome: AuditOutcome | null;
  errorCode: string | null;
  /** What was asked for, secrets masked; of calls that succeeded. */
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
