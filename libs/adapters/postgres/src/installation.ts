import { type Queryable } from './sql/database.js';

/** The id of this database, made with its schema. A restored backup has the same one. */
export async function readInstallation(db: Queryable): Promise<string> {
  const [row] = await db.query<{ id: string }>('SELECT id FROM installation');
  return row!.id;
}
