import { type Scope, scopeExpressions, type VisibleRepositories } from '@core/domain';
import { type Database } from '../sql/database.js';
import { uuidOrNull } from '../sql/rows.js';

/** What belongs to a repository. */
export type RepositoryPart = 'repository' | 'schedule' | 'execution';

export interface ScopedProject {
  id: string;
  provider: string;
  baseUrl: string;
  /** Null: the host has no number for it. */
  projectId: number | null;
  credentialId: string | null;
}

/** The repository of each part, deleted ones included. */
const OWNERS: Readonly<Record<RepositoryPart, string>> = {
  repository: 'SELECT id FROM repositories WHERE id = $1',
  schedule: 'SELECT repository_id AS id FROM schedule_sessions WHERE id = $1',
  execution: 'SELECT repository_id AS id FROM schedule_execution_logs WHERE id = $1',
};

/** Finds the repositories of a scope. */
export class ScopedRepositories {
  constructor(private readonly db: Database) {}

  /** Deleted repositories included, because their executions remain. */
  async idsIn(scope: Scope): Promise<VisibleRepositories> {
    if (scope === null) return null;
    const { paths, addresses } = scopeExpressions(scope);
    const rows = await this.db.query<{ id: string }>(
      `SELECT id FROM repositories
        WHERE project_path ~* ANY($1::text[]) OR base_url || '/' || project_path ~* ANY($2::text[])`,
      [paths, addresses],
    );
    return rows.map(({ id }) => id);
  }

  /** The projects behind repositories, deleted ones included. @param ids null: all. */
  projectsOf(ids: VisibleRepositories): Promise<ScopedProject[]> {
    return this.db.query(
      `SELECT id, provider, base_url, project_id, credential_id FROM repositories WHERE $1::uuid[] IS NULL OR id = ANY($1::uuid[])`,
      [ids],
    );
  }

  /** Null when there is no such part. */
  async ownerOf(part: RepositoryPart, id: string): Promise<string | null> {
    const owner = await this.db.first<{ id: string }>(OWNERS[part], [uuidOrNull(id)]);
    return owner?.id ?? null;
  }
}
