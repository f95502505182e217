import { afterEnd } from './0001-executions.js';

/** An end of a sync that says something about the repository: one that was cancelled or coalesced says nothing. */
const IS_OUTCOME = `NEW.handler IN ('repository_sync', 'repair')
  AND NEW.status IN ('completed', 'partial', 'failed', 'missed')`;

/** An end of work: ticks that were passed over and dry runs change nothing. */
const IS_FINISHED = `NEW.handler <> 'dry_run' AND NEW.status IN ('completed', 'partial', 'failed', 'cancelled')`;

/**
 * SQL of the initial schema: how the last sync of each repository ended, so that the state of ten thousand repositories is read
 * without their runs.
 */
export const OUTCOMES = `
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
  ${afterEnd('outcome', 'note_outcome', IS_OUTCOME)}`;

/**
 * Webhooks that are sent events, and the outbox that the end of a run writes in its own transaction. Triggers, because runs end
 * in several statements, and all of them must be noticed.
 */
export const EVENTS = `
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
  CREATE INDEX event_deliveries_age_idx ON event_deliveries (created_at);
  CREATE FUNCTION note_event(event_type text, subject_id uuid, facts jsonb) RETURNS void LANGUAGE sql AS $$
    INSERT INTO event_outbox (type, repository_id, data) SELECT event_type, subject_id, facts
      WHERE EXISTS (SELECT FROM event_webhooks WHERE disabled_at IS NULL AND event_type = ANY (events))
  $$;

  CREATE FUNCTION note_finished_run() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM note_event('run.finished', NEW.repository_id, to_jsonb(NEW) - 'report');
    RETURN NULL;
  END $$;
  ${afterEnd('event', 'note_finished_run', IS_FINISHED)}

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
