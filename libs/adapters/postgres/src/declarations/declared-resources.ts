import { type Page, type PageRequest } from '@core/domain';
import { type Database } from '../sql/database.js';
import { Conditions, selectPage } from '../sql/page.js';

export const DECLARED_KINDS = ['credential', 'repository', 'schedule', 'discovery'] as const;

/** What a declaration says of one resource. */
export interface Declared {
  kind: (typeof DECLARED_KINDS)[number];
  key: string;
  resourceId: string;
  digest: string;
}

/** A `declared_resources` row. */
export interface DeclaredResource extends Declared {
  declaration: string;
  appliedAt: Date;
  appliedBy: string | null;
}

/** The resources that files declare, by the name of the declaration. */
export class DeclaredResources {
  constructor(private readonly db: Database) {}

  list(
    filter: { declaration?: string; kind?: Declared['kind']; resourceId?: string },
    page: PageRequest,
  ): Promise<Page<DeclaredResource>> {
    const where = new Conditions()
      .add('declaration = ?', filter.declaration)
      .add('kind = ?', filter.kind)
      .add('resource_id = ?', filter.resourceId);
    return selectPage(
      this.db,
      { from: 'declared_resources', where, orderBy: 'declaration, kind, key' },
      page,
    );
  }

  /** Replaces the whole declaration. A resource in the same words keeps the time at which it was applied. */
  async replace(
    declaration: string,
    resources: readonly Declared[],
    appliedBy: string | null,
  ): Promise<Page<DeclaredResource>> {
    const rows = JSON.stringify(
      resources.map(({ kind, key, resourceId, digest }) => ({ kind, key, resource_id: resourceId, digest })),
    );
    await this.db.transaction(async (tx) => {
      await tx.query(
        `DELETE FROM declared_resources WHERE declaration = $1 AND (kind, key) NOT IN (
          SELECT kind, key FROM jsonb_to_recordset($2::jsonb) AS given (kind text, key text))`,
        [declaration, rows],
      );
      await tx.query(
        `INSERT INTO declared_resources AS former (declaration, kind, key, resource_id, digest, applied_by)
          SELECT $1, kind, key, resource_id, digest, $3 FROM jsonb_to_recordset($2::jsonb)
            AS given (kind text, key text, resource_id uuid, digest text)
          ON CONFLICT (declaration, kind, key) DO UPDATE SET resource_id = EXCLUDED.resource_id,
            digest = EXCLUDED.digest, applied_at = clock_timestamp(), applied_by = EXCLUDED.applied_by
            WHERE (former.resource_id, former.digest) <> (EXCLUDED.resource_id, EXCLUDED.digest)`,
        [declaration, rows, appliedBy],
      );
    });
    return this.list({ declaration }, { limit: resources.length, offset: 0 });
  }
}
