import { type Role } from './access.js';

export const AUDIT_KINDS = ['change', 'read', 'export', 'refusal', 'loss'] as const;
export type AuditKind = (typeof AUDIT_KINDS)[number];

export const AUDIT_OUTCOMES = ['succeeded', 'refused', 'failed'] as const;
export type AuditOutcome = (typeof AUDIT_OUTCOMES)[number];

/** What is recorded about a call. Absent and null mean the same: the record does not contain the property. */
export interface AuditRecord {
  /** When the call began; of several calls, the first. */
  at: Date;
  kind: AuditKind;
  /** `<subject>.<verb>`, e.g. `schedule.update`. */
  action: string;
  actorId?: string | null;
  actorName?: string | null;
  actorRole?: Role | null;
  clientAddress?: string | null;
  method?: string | null;
  /** The pattern of the path. */
  route?: string | null;
  requestId?: string | null;
  subjectType?: string | null;
  subjectId?: string | null;
  /** The repositories that the answer was about. */
  repositoryIds?: readonly string[] | null;
  /** The file that was read, and its lines. */
  path?: string | null;
  lines?: string | null;
  /** A fingerprint of the text that was searched for, which may be a secret. */
  queryHash?: string | null;
  reason?: string | null;
  /** Absent in the first record of a change. */
  outcome?: AuditOutcome | null;
  errorCode?: string | null;
  /** The requested values with secrets masked; only of a change that succeeded. */
  changes?: Readonly<Record<string, unknown>> | null;
  /** The id of the first record of the change that this record ends. */
  beginId?: number | null;
  /** How many calls this record stands for, if more than one, and when the last of them began. */
  calls?: number | null;
  lastAt?: Date | null;
}

/** The place of a record in the chain. Hashes are SHA-256 in hex. */
export interface AuditLink {
  /** Counted from 1 without gaps. */
  id: number;
  previousHash: string;
  /** The SHA-256 of the previous hash, a newline and the content. */
  hash: string;
}

/** A stored record, with all its properties. */
export type AuditEntry = AuditLink & { [Name in keyof Required<AuditRecord>]: NonNullableUnless<Name> };
type NonNullableUnless<Name extends keyof AuditRecord> = undefined extends AuditRecord[Name]
  ? Exclude<AuditRecord[Name], undefined>
  : AuditRecord[Name];

export interface AuditFilter {
  kind?: AuditKind;
  actorId?: string;
  action?: string;
  subjectType?: string;
  subjectId?: string;
  /** Only records about this repository. */
  repositoryId?: string;
  clientAddress?: string;
  /** Only searches for exactly this text. */
  query?: string;
  outcome?: AuditOutcome;
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
}

/** What a check of the chain found. */
export interface AuditCheck {
  isIntact: boolean;
  /** Records that were compared. */
  checked: number;
  /** The newest record. Keep it elsewhere: a later check proves that it is still in the chain. Null without records. */
  head: Pick<AuditLink, 'id' | 'hash'> | null;
  /** The last record that retention has deleted. */
  anchor: { lastId: number; hash: string; deletedAt: Date } | null;
  /** The first record that is wrong. */
  broken: { id: number; problem: string } | null;
}
