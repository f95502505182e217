import { type PostgresUnderTest } from './postgres.js';

/**
 * Triggers that record every step of every execution and every edit of every schedule, in the same transaction as the
 * change. The tables hold only the current state; the checks need the history.
 */
const AUDIT = `
  CREATE SCHEMA faults;

  CREATE TABLE faults.execution_steps (
    step bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    execution_id uuid NOT NULL, repository_id uuid NOT NULL, schedule_id uuid, trigger text, handler text,
    scheduled_for timestamptz, former_status text, status text NOT NULL, attempt int NOT NULL, fence bigint NOT NULL,
    pod_name text, former_pod_name text, interruptions int NOT NULL, available_at timestamptz,
    cancel_requested_at timestamptz, error_code text, schedule_revision int);
  CREATE INDEX ON faults.execution_steps (execution_id, step);

  CREATE FUNCTION faults.note_execution() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE former schedule_execution_logs;
  BEGIN
    -- An end moves the row to another partition, which is an insert there.
    IF TG_OP = 'INSERT' THEN
      SELECT status, pod_name INTO former.status, former.pod_name FROM faults.execution_steps
        WHERE execution_id = NEW.id ORDER BY step DESC LIMIT 1;
    ELSE
      former := OLD;
      IF (OLD.status, OLD.attempt, OLD.fence, OLD.cancel_requested_at IS NULL)
        = (NEW.status, NEW.attempt, NEW.fence, NEW.cancel_requested_at IS NULL) THEN RETURN NULL; END IF;
    END IF;
    INSERT INTO faults.execution_steps (execution_id, repository_id, schedule_id, trigger, handler, scheduled_for,
      former_status, status, attempt, fence, pod_name, former_pod_name, interruptions, available_at,
      cancel_requested_at, error_code, schedule_revision)
    VALUES (NEW.id, NEW.repository_id, NEW.schedule_session_id, NEW.trigger, NEW.handler, NEW.scheduled_for,
      former.status, NEW.status, NEW.attempt, NEW.fence, NEW.pod_name, former.pod_name, NEW.interruptions,
      NEW.available_at, NEW.cancel_requested_at, NEW.error_code,
      (SELECT revision FROM schedule_sessions WHERE id = NEW.schedule_session_id));
    RETURN NULL;
  END $$;
  CREATE TRIGGER faults_note AFTER INSERT OR UPDATE ON schedule_execution_logs
    FOR EACH ROW EXECUTE FUNCTION faults.note_execution();

  CREATE TABLE faults.schedule_edits (
    step bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    schedule_id uuid NOT NULL, repository_id uuid NOT NULL, revision int NOT NULL, cron_expression text NOT NULL,
    is_live boolean NOT NULL, next_run_at timestamptz, former_next_run_at timestamptz);

  CREATE FUNCTION faults.note_schedule() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE former schedule_sessions;
  BEGIN
    IF TG_OP = 'UPDATE' THEN
      former := OLD;
      -- A claim only moves next_run_at forward.
      IF NEW.revision = OLD.revision AND NEW.is_active = OLD.is_active
        AND (NEW.deleted_at IS NULL) = (OLD.deleted_at IS NULL) AND OLD.next_run_at IS NOT NULL
        AND NEW.next_run_at >= OLD.next_run_at THEN RETURN NULL; END IF;
    END IF;
    INSERT INTO faults.schedule_edits (schedule_id, repository_id, revision, cron_expression, is_live, next_run_at,
      former_next_run_at)
    VALUES (NEW.id, NEW.repository_id, NEW.revision, NEW.cron_expression, NEW.is_active AND NEW.deleted_at IS NULL,
      NEW.next_run_at, former.next_run_at);
    RETURN NULL;
  END $$;
  CREATE TRIGGER faults_note AFTER INSERT OR UPDATE ON schedule_sessions
    FOR EACH ROW EXECUTE FUNCTION faults.note_schedule()`;

/** Call it after the migrations and before the first schedule is created. */
export async function installAudit(postgres: PostgresUnderTest): Promise<void> {
  await postgres.query(AUDIT);
}
