import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** How the last sync of each repository ended, so that the state of ten thousand repositories is read without their runs. */
export class RepositoryOutcomes1765152000000 implements MigrationInterface {
  readonly name = 'RepositoryOutcomes1765152000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      CREATE TABLE repository_outcomes (
        repository_id uuid PRIMARY KEY REFERENCES repositories (id),
        -- The last sync that completed, failed or ended partially. Null: none has.
        execution_id uuid, status text CHECK (status IN ('completed', 'partial', 'failed')),
        error_code text, error_message text, ended_at timestamptz, duration_seconds double precision,
        -- The last tick that found no pod in time.
        missed_at timestamptz
      );
      CREATE FUNCTION note_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        IF NEW.status = 'missed' THEN
          INSERT INTO repository_outcomes (repository_id, missed_at) VALUES (NEW.repository_id, NEW.completed_at)
            ON CONFLICT (repository_id) DO UPDATE
              SET missed_at = GREATEST(repository_outcomes.missed_at, EXCLUDED.missed_at);
        ELSE
          INSERT INTO repository_outcomes
              (repository_id, execution_id, status, error_code, error_message, ended_at, duration_seconds)
            VALUES (NEW.repository_id, NEW.id, NEW.status, NEW.error_code, NEW.error_message, NEW.completed_at,
              NEW.duration_seconds)
            ON CONFLICT (repository_id) DO UPDATE SET execution_id = EXCLUDED.execution_id, status = EXCLUDED.status,
              error_code = EXCLUDED.error_code, error_message = EXCLUDED.error_message, ended_at = EXCLUDED.ended_at,
              duration_seconds = EXCLUDED.duration_seconds
            WHERE repository_outcomes.ended_at IS NULL OR repository_outcomes.ended_at <= EXCLUDED.ended_at;
        END IF;
        RETURN NULL;
      END $$;
      CREATE TRIGGER schedule_execution_logs_inserted_outcome AFTER INSERT ON schedule_execution_logs
        FOR EACH ROW WHEN (${IS_OUTCOME} AND current_setting('repotide.moves_ended', true) IS DISTINCT FROM 'on')
        EXECUTE FUNCTION note_outcome();
      CREATE TRIGGER schedule_execution_logs_outcome AFTER UPDATE OF completed_at ON schedule_execution_logs
        FOR EACH ROW WHEN (OLD.completed_at IS NULL AND ${IS_OUTCOME}) EXECUTE FUNCTION note_outcome();
      INSERT INTO repository_outcomes
        SELECT r.id, e.id, e.status, e.error_code, e.error_message, e.completed_at, e.duration_seconds, missed.completed_at
        FROM repositories r
          LEFT JOIN LATERAL (${newest("status IN ('completed', 'partial', 'failed')")}) e ON true
          LEFT JOIN LATERAL (${newest("status = 'missed'")}) missed ON true
        WHERE e.id IS NOT NULL OR missed.id IS NOT NULL`);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}

/** An end of a sync that says something about the repository: one that was cancelled or coalesced says nothing. */
const IS_OUTCOME = `NEW.completed_at IS NOT NULL AND NEW.handler IN ('repository_sync', 'repair')
  AND NEW.status IN ('completed', 'partial', 'failed', 'missed')`;

function newest(isWanted: string): string {
  return `SELECT * FROM schedule_execution_logs WHERE repository_id = r.id AND completed_at IS NOT NULL
    AND handler IN ('repository_sync', 'repair') AND ${isWanted} ORDER BY queued_at DESC, id DESC LIMIT 1`;
}
