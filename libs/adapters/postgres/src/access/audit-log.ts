import { type AuditEntry, type AuditFilter, type AuditLog, RepotideError } from '@core/domain';
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

/** The audit log, in Postgres. */
export function createAuditLog(db: Database): AuditLog {
  return {
    async begin({ actor, action, subjectType, subjectId, reason, requestId }) {
      const [row] = await db.query<{ id: number }>(
        `INSERT INTO audit_log (actor_id, actor_name, actor_role, action, subject_type, subject_id, reason, request_id)
          VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING id`,
        [actor.id, actor.name, actor.role, action, subjectType, subjectId, reason, requestId],
      );
      if (row === undefined)
        throw new RepotideError('internal', 'database_error', 'An insert returned no row.');
      return row.id;
    },
    async complete(entryId, { outcome, errorCode, subjectId, changes }) {
      await db.query(
        `UPDATE audit_log SET outcome = $2, error_code = $3, subject_id = COALESCE(subject_id, $4), changes = $5
          WHERE id = $1 AND outcome IS NULL`,
        [entryId, outcome, errorCode, subjectId, changes === null ? null : JSON.stringify(changes)],
      );
    },
    list: (filter, page) =>
      selectPage(
        db,
        { select: SELECT, from: 'audit_log', where: conditionsOf(filter), orderBy: 'at DESC, id DESC' },
        page,
      ),
  };
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
