import { type MigrationInterface, type QueryRunner } from 'typeorm';

/** Webhooks that are sent events, and the outbox that the end of a run writes in its own transaction. */
export class EventWebhooks1765584000000 implements MigrationInterface {
  readonly name = 'EventWebhooks1765584000000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(TABLES);
    await queryRunner.query(OUTBOX);
  }

  /** Reverting would drop data that later versions wrote. */
  down(): Promise<void> {
    return Promise.reject(new Error('Repotide migrations are not reverted: restore a backup instead.'));
  }
}

const TABLES = `
  CREATE TABLE event_webhooks (
    id uuid PRIMARY KEY,
    name text NOT NULL CONSTRAINT event_webhooks_name_key UNIQUE,
    url text NOT NULL, events text[] NOT NULL, scope text[],
    disabled_at timestamptz, disabled_reason text,
    failing_since timestamptz, last_delivered_at timestamptz,
    -- The key of its signatures, sealed like the secret of a credential.
    ciphertext bytea NOT NULL, nonce bytea NOT NULL, auth_tag bytea NOT NULL, key_id text NOT NULL,
    revision integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(), updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  -- What happened, until it is written as deliveries of the webhooks that want it.
  CREATE TABLE event_outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    type text NOT NULL, repository_id uuid NOT NULL, data jsonb NOT NULL,
    occurred_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE TABLE event_deliveries (
    id uuid PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES event_webhooks (id) ON DELETE CASCADE,
    event_type text NOT NULL, body text NOT NULL,
    status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
    attempts integer NOT NULL DEFAULT 0,
    -- While an attempt is made: when another pod may assume that this pod was lost.
    next_attempt_at timestamptz DEFAULT clock_timestamp(),
    CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
    response_status integer, error text,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(), last_attempt_at timestamptz
  );
  CREATE INDEX event_deliveries_due_idx ON event_deliveries (webhook_id, next_attempt_at, id)
    WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX event_deliveries_list_idx ON event_deliveries (webhook_id, created_at, id);
  CREATE INDEX event_deliveries_age_idx ON event_deliveries (created_at)`;

/** Triggers, because runs end in several statements, and all of them must be noticed. */
const OUTBOX = `
  CREATE FUNCTION note_event(event_type text, subject_id uuid, facts jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO event_outbox (type, repository_id, data) SELECT event_type, subject_id, facts
      WHERE EXISTS (SELECT FROM event_webhooks WHERE disabled_at IS NULL AND event_type = ANY (events))
  $$;

  CREATE FUNCTION note_finished_run() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM note_event('run.finished', NEW.repository_id, to_jsonb(NEW) - 'report');
    RETURN NULL;
  END $$;
  CREATE TRIGGER schedule_execution_logs_inserted_event AFTER INSERT ON schedule_execution_logs
    FOR EACH ROW WHEN (${isFinished()} AND current_setting('repotide.moves_ended', true) IS DISTINCT FROM 'on')
    EXECUTE FUNCTION note_finished_run();
  CREATE TRIGGER schedule_execution_logs_event AFTER UPDATE OF completed_at ON schedule_execution_logs
    FOR EACH ROW WHEN (OLD.completed_at IS NULL AND ${isFinished()}) EXECUTE FUNCTION note_finished_run();

  CREATE FUNCTION note_turned_outcome() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    was_failing boolean := TG_OP = 'UPDATE' AND OLD.status IS NOT DISTINCT FROM 'failed';
    is_failing boolean := NEW.status IS NOT DISTINCT FROM 'failed';
  BEGIN
    IF is_failing <> was_failing THEN
      PERFORM note_event(CASE WHEN is_failing THEN 'repository.failing' ELSE 'repository.recovered' END,
        NEW.repository_id, to_jsonb(NEW));
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER repository_outcomes_event AFTER INSERT OR UPDATE OF status ON repository_outcomes
    FOR EACH ROW EXECUTE FUNCTION note_turned_outcome();

  CREATE FUNCTION note_index_difference() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF OLD.last_drift IS NULL AND NEW.last_drift IS NOT NULL THEN
      PERFORM note_event('index.drifted', NEW.repository_id, NEW.last_drift);
    END IF;
    IF OLD.lost_since IS NULL AND NEW.lost_since IS NOT NULL THEN
      PERFORM note_event('index.lost', NEW.repository_id, '{}');
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER repository_indexes_event AFTER UPDATE OF last_drift, lost_since ON repository_indexes
    FOR EACH ROW EXECUTE FUNCTION note_index_difference()`;

/** A run that ended after it was wanted: ticks that were passed over and dry runs change nothing. */
function isFinished(): string {
  return `NEW.completed_at IS NOT NULL AND NEW.handler <> 'dry_run'
    AND NEW.status IN ('completed', 'partial', 'failed', 'cancelled')`;
}
