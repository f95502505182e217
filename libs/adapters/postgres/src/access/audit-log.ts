import { type AuditEntry, type AuditFilter, type Caller, type Page, type PageRequest } from '@core/domain';
import { type Database, insertRow } from '../sql/database.js';
import { noRow } from '../sql/database-error.js';
import { Conditions, selectPage } from '../sql/page.js';

type Call = Pick<AuditEntry, 'action' | 'subjectType' | 'subjectId' | 'reason' | 'requestId'>;

/** The audit log. Entries are added and completed, but never otherwise changed or deleted. */
export class AuditLog {
  constructor(private readonly db: Database) {}

  /** Call before the change: nothing may change without a record. @returns the id of the entry. */
  async begin({ actor, ...call }: Call & { actor: Pick<Caller, 'id' | 'name' | 'role'> }): Promise<number> {
    const { action, subjectType, subjectId, reason, requestId } = call;
    const row = await insertRow<AuditEntry>(this.db, 'audit_log', {
      ...{ actorId: actor.id, actorName: actor.name, actorRole: actor.role },
      ...{ action, subjectType, subjectId, reason, requestId },
    });
    return (row ?? noRow()).id;
  }

  /** Safe to repeat. Sets a subject that was null, such as the id of a new object. */
  async complete(
    entryId: number,
    end: Pick<AuditEntry, 'outcome' | 'errorCode' | 'subjectId' | 'changes'>,
  ): Promise<void> {
    const changes = end.changes && JSON.stringify(end.changes);
    await this.db.query(
      `UPDATE audit_log SET outcome = $2, error_code = $3, subject_id = COALESCE(subject_id, $4), changes = $5
        WHERE id = $1 AND outcome IS NULL`,
      [entryId, end.outcome, end.errorCode, end.subjectId, changes],
    );
  }

  /** Newest first. */
  list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
    const where = new Conditions()
      .add('actor_id = ?', filter.actorId)
      .add('action = ?', filter.action)
      .add('subject_type = ?', filter.subjectType)
      .add('subject_id = ?', filter.subjectId)
      .add('outcome = ?', filter.outcome)
      .add('at >= ?', filter.from)
      .add('at < ?', filter.to);
    return selectPage(this.db, { from: 'audit_log', where, orderBy: 'at DESC, id DESC' }, page);
  }
}
