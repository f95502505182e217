import {
  type AuditEntry,
  type AuditFilter,
  type Caller,
  type Page,
  type PageRequest,
  RepotideError,
} from '@core/domain';
import { columnsOf, selectList } from '../sql/columns.js';
import { type Database } from '../sql/database.js';
import { Conditions, selectPage } from '../sql/page.js';

const SELECT = selectList(
  columnsOf<AuditEntry>({
    id: true,
    at: true,
    actorId: true,
    actorName: true,
    actorRole: true,
    action: true,
    subjectType: true,
    subjectId: true,
    reason: true,
    requestId: true,
    outcome: true,
    errorCode: true,
    changes: true,
  }),
);

/** The audit log. Entries are added and completed, but never otherwise changed or deleted. */
export class AuditLog {
  constructor(private readonly db: Database) {}

  /** Call before the change: nothing may change without a record. @returns the id of the entry. */
  async begin({
    actor,
    ...entry
  }: Pick<AuditEntry, 'action' | 'subjectType' | 'subjectId' | 'reason' | 'requestId'> & {
    actor: Caller;
  }): Promise<number> {
    const { action, subjectType, subjectId, reason, requestId } = entry;
    const [row] = await this.db.query<{ id: number }>(
      `INSERT INTO audit_log (actor_id, actor_name, actor_role, action, subject_type, subject_id, reason, request_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
      [actor.id, actor.name, actor.role, action, subjectType, subjectId, reason, requestId],
    );
    if (row === undefined)
      throw new RepotideError('internal', 'database_error', 'An insert returned no row.');
    return row.id;
  }

  /** Safe to repeat. Sets a subject that was null, such as the id of a new object. */
  async complete(
    entryId: number,
    {
      outcome,
      errorCode,
      subjectId,
      changes,
    }: Pick<AuditEntry, 'outcome' | 'errorCode' | 'subjectId' | 'changes'>,
  ): Promise<void> {
    await this.db.query(
      `UPDATE audit_log SET outcome = $2, error_code = $3, subject_id = COALESCE(subject_id, $4), changes = $5
        WHERE id = $1 AND outcome IS NULL`,
      [entryId, outcome, errorCode, subjectId, changes === null ? null : JSON.stringify(changes)],
    );
  }

  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
    const where = conditionsOf(filter);
    return selectPage(
      this.db,
      { select: SELECT, from: 'audit_log', where, orderBy: 'at DESC, id DESC' },
      page,
    );
  }
}

function conditionsOf(filter: AuditFilter): Conditions {
  return new Conditions()
    .add('actor_id = ?', filter.actorId)
    .add('action = ?', filter.action)
    .add('subject_type = ?', filter.subjectType)
    .add('subject_id = ?', filter.subjectId)
    .add('outcome = ?', filter.outcome)
    .add('at >= ?', filter.from)
    .add('at < ?', filter.to);
}
