import { createHmac } from 'node:crypto';
import {
  type AuditCheck,
  type AuditEntry,
  type AuditFilter,
  type AuditLink,
  type AuditRecord,
  type Page,
  type PageRequest,
} from '@core/domain';
import { readInstallation } from '../installation.js';
import { type Database } from '../sql/database.js';
import { Conditions, selectPage } from '../sql/page.js';
import { type AuditRow, contentOf, entryOf, lineOf } from './audit-content.js';
import { checkChain, deleteOldest } from './audit-chain.js';

const COLUMNS = 'id, previous_hash, hash, content';
/** About 700 bytes a record. */
const PAGE_SIZE = 1000;
/** A change has a record of its beginning, which is hidden behind that of its end. */
const IS_NOT_ENDED =
  '(outcome IS NOT NULL OR NOT EXISTS (SELECT FROM audit_records later WHERE later.begin_id = audit_records.id))';

/** The audit log: a chain in which each record carries the hash of the one before. Records are only appended. */
export class AuditLog {
  private installation: Promise<string> | null = null;

  constructor(private readonly db: Database) {}

  /** Appends all of them or none, in this order, after what other pods have appended. */
  append(records: readonly AuditRecord[]): Promise<AuditLink[]> {
    return this.db.query('SELECT * FROM append_audit_records($1)', [records.map(contentOf)]);
  }

  /** The stored record as a line of a log. */
  printed(record: AuditRecord, link: AuditLink): string {
    const line = lineOf({ ...link, content: contentOf(record) });
    return `{"audit":${line.trimEnd()}}\n`;
  }

  /** Newest first; of a change that ended only the last record. */
  async list(filter: AuditFilter, page: PageRequest): Promise<Page<AuditEntry>> {
    const where = (await this.conditionsOf(filter)).always(IS_NOT_ENDED);
    const list = { select: COLUMNS, from: 'audit_records', where, orderBy: 'id DESC' };
    const { items, total } = await selectPage<AuditRow>(this.db, list, page);
    return { items: items.map(entryOf), total };
  }

  /** All records that match, oldest first, as JSON lines in pieces of bounded size. Omits records of later times. */
  async *lines(filter: AuditFilter): AsyncIterable<string> {
    const where = await this.conditionsOf(filter);
    const next = where.values.length + 1;
    const newest = await this.db.first<{ id: number | null }>('SELECT max(id) AS id FROM audit_records');
    for (let after = 0; ;) {
      const rows = await this.db.query<AuditRow>(
        `SELECT ${COLUMNS} FROM audit_records WHERE ${where.sql} AND id > $${next} AND id <= $${next + 1}
          ORDER BY id LIMIT ${PAGE_SIZE}`,
        [...where.values, after, newest?.id ?? 0],
      );
      yield rows.map(lineOf).join('');
      if (rows.length < PAGE_SIZE) return;
      after = rows.at(-1)!.id;
    }
  }

  /**
   * Compares each record with its content and with the record before it.
   * @param known a record that was in the chain earlier, from a former check or an export.
   */
  check(signal: AbortSignal, known?: Pick<AuditLink, 'id' | 'hash'>): Promise<AuditCheck> {
    return checkChain(this.db, signal, known);
  }

  /** Deletes records of earlier times from the oldest on, and leaves an anchor. @returns their number. */
  deleteBefore(time: Date): Promise<number> {
    return deleteOldest(this.db, time);
  }

  /**
   * What is recorded instead of a text that may be a secret. Equal texts have equal fingerprints; without the id of the
   * database, which no answer shows, a text cannot be guessed from its fingerprint.
   */
  async fingerprint(text: string): Promise<string> {
    this.installation ??= readInstallation(this.db).catch((error: unknown) => {
      this.installation = null;
      throw error;
    });
    return createHmac('sha256', await this.installation)
      .update(text)
      .digest('hex');
  }

  private async conditionsOf({ query, ...filter }: AuditFilter): Promise<Conditions> {
    const queryHash = query === undefined ? undefined : await this.fingerprint(query);
    return new Conditions()
      .add('kind = ?', filter.kind)
      .add('actor_id = ?', filter.actorId)
      .add('action = ?', filter.action)
      .add('subject_type = ?', filter.subjectType)
      .add('subject_id = ?', filter.subjectId)
      .add('client_address = ?', filter.clientAddress)
      .add("content::jsonb -> 'repository_ids' @> to_jsonb(?::text)", filter.repositoryId)
      .add("content::jsonb ->> 'query_hash' = ?", queryHash)
      .add('outcome = ?', filter.outcome)
      .add('at >= ?', filter.from)
      .add('at < ?', filter.to);
  }
}
