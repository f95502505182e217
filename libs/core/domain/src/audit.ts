import { type Caller } from './access.js';
import { type Page, type PageRequest } from './page.js';

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

/** Who did what. Entries are added and completed, never changed otherwise and never deleted. */
export abstract class AuditLog {
  /** Before anything is changed: what cannot be recorded is not done. @returns the id of the entry. */
  abstract begin(
    entry: Pick<AuditEntry, 'action' | 'subjectType' | 'subjectId' | 'reason' | 'requestId'> & {
      actor: Caller;
    },
  ): Promise<number>;
  /** Repeating is harmless. A subject that was null is set: that of something new is known only now. */
  abstract complete(
    entryId: number,
    end: Pick<AuditEntry, 'outcome' | 'errorCode' | 'subjectId' | 'changes'>,
  ): Promise<void>;
  /** Newest first. */
  abstract list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>>;
}
