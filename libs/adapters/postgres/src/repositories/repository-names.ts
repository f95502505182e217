import { type Database } from '../sql/database.js';

/** What people call a repository. */
export interface RepositoryName {
  projectPath: string;
  branch: string;
}

type Named<Row> = Row & RepositoryName;

/** Puts the names of repositories, deleted ones included, beside their ids. */
export class RepositoryNames {
  constructor(private readonly db: Database) {}

  /** One query, whatever the number of rows. */
  async addTo<Row extends { repositoryId: string }>(rows: readonly Row[]): Promise<Named<Row>[]> {
    if (rows.length === 0) return [];
    const ids = [...new Set(rows.map(({ repositoryId }) => repositoryId))];
    const found = await this.db.query<RepositoryName & { id: string }>(
      'SELECT id, project_path, branch FROM repositories WHERE id = ANY($1::uuid[])',
      [ids],
    );
    const names = new Map(found.map(({ id, ...name }) => [id, name]));
    // A row refers to its repository, which is only marked as deleted.
    return rows.map((row) => ({ ...row, ...names.get(row.repositoryId)! }));
  }

  async addToOne<Row extends { repositoryId: string }>(row: Row): Promise<Named<Row>> {
    const [named] = await this.addTo([row]);
    return named!;
  }
}
