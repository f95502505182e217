import { type Database } from '../sql/database.js';
import { type Declared } from './declared-resources.js';

export const ROUND_STATUSES = ['equal', 'differs', 'failed'] as const;

/** One difference between the files and the service. Contains no secret: the files have none. */
export interface DeclaredChange {
  action: 'create' | 'update' | 'delete';
  kind: Declared['kind'];
  key: string;
  /** Whether the resource was changed by hand since it was applied. */
  isDrift: boolean;
  /** The values as JSON, cut where they are long. */
  fields: { field: string; from: string; to: string }[];
  /** Why it could not be applied; null: it was, or nothing was tried. */
  error: string | null;
}

/** A `declaration_rounds` row: the newest comparison of the service with a declaration. */
export interface DeclarationRound {
  declaration: string;
  status: (typeof ROUND_STATUSES)[number];
  checkedAt: Date;
  changedAt: Date | null;
  podName: string;
  error: string | null;
  changes: DeclaredChange[];
}

/** What the leader found when it last compared the service with the files of a declaration. */
export class DeclarationRounds {
  constructor(private readonly db: Database) {}

  find(declaration: string): Promise<DeclarationRound | null> {
    return this.db.first('SELECT * FROM declaration_rounds WHERE declaration = $1', [declaration]);
  }

  /** Keeps the former changes when this round found none, so that the newest difference stays visible. */
  async record(round: Omit<DeclarationRound, 'checkedAt' | 'changedAt'>, hasChanged: boolean): Promise<void> {
    const { declaration, status, podName, error, changes } = round;
    await this.db.query(
      `INSERT INTO declaration_rounds AS former (declaration, status, pod_name, error, changes, changed_at)
        VALUES ($1, $2, $3, $4, $5, CASE WHEN $6 THEN clock_timestamp() END)
        ON CONFLICT (declaration) DO UPDATE SET status = EXCLUDED.status, pod_name = EXCLUDED.pod_name,
          error = EXCLUDED.error, checked_at = clock_timestamp(),
          changes = CASE WHEN EXCLUDED.changes = '[]' THEN former.changes ELSE EXCLUDED.changes END,
          changed_at = COALESCE(EXCLUDED.changed_at, former.changed_at)`,
      [declaration, status, podName, error, JSON.stringify(changes), hasChanged],
    );
  }
}
