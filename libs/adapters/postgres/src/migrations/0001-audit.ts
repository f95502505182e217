import { LOCKS } from '../sql/advisory-locks.js';

/** Columns are generated from the content, so that they cannot differ from what the hash proves. */
const TABLES = `
  CREATE TABLE audit_records (
    id bigint PRIMARY KEY,
    previous_hash text NOT NULL,
    hash text NOT NULL,
    -- Canonical JSON (RFC 8785).
    content text NOT NULL,
    -- Not generated, because Postgres reads no text as an instant in a generated column. The check of the chain compares it.
    at timestamptz NOT NULL,
    kind text NOT NULL GENERATED ALWAYS AS (content::jsonb ->> 'kind') STORED,
    action text NOT NULL GENERATED ALWAYS AS (content::jsonb ->> 'action') STORED,
    outcome text GENERATED ALWAYS AS (content::jsonb ->> 'outcome') STORED,
    actor_id text GENERATED ALWAYS AS (content::jsonb ->> 'actor_id') STORED,
    client_address text GENERATED ALWAYS AS (content::jsonb ->> 'client_address') STORED,
    subject_type text GENERATED ALWAYS AS (content::jsonb ->> 'subject_type') STORED,
    subject_id text GENERATED ALWAYS AS (content::jsonb ->> 'subject_id') STORED,
    begin_id bigint GENERATED ALWAYS AS ((content::jsonb ->> 'begin_id')::bigint) STORED
  );
  CREATE INDEX audit_records_at_idx ON audit_records (at, id);
  CREATE INDEX audit_records_subject_idx ON audit_records (subject_id, id) WHERE subject_id IS NOT NULL;
  CREATE INDEX audit_records_actor_idx ON audit_records (actor_id, id) WHERE actor_id IS NOT NULL;
  CREATE INDEX audit_records_action_idx ON audit_records (action, id);
  CREATE INDEX audit_records_begin_idx ON audit_records (begin_id) WHERE begin_id IS NOT NULL;
  CREATE INDEX audit_records_repositories_idx ON audit_records
    USING gin ((content::jsonb -> 'repository_ids')) WITH (fastupdate = off);
  CREATE TABLE audit_anchors (
    -- The last record that was deleted, and its hash.
    last_id bigint PRIMARY KEY,
    hash text NOT NULL,
    deleted_at timestamptz NOT NULL DEFAULT clock_timestamp()
  )`;

/**
 * One statement, so that a pod that stops in the middle holds no lock. The lock makes one chain of what all pods append.
 * Each statement of the function sees what was committed before the lock was granted.
 */
const APPEND = `
  CREATE FUNCTION append_audit_records(contents text[])
    RETURNS TABLE (id bigint, previous_hash text, hash text)
    LANGUAGE plpgsql SET lock_timeout = '5s' AS $$
  #variable_conflict use_column
  DECLARE
    last_id bigint;
    last_hash text;
    record_content text;
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCKS.auditChain});
    SELECT r.id, r.hash INTO last_id, last_hash FROM audit_records r ORDER BY r.id DESC LIMIT 1;
    IF last_id IS NULL THEN
      SELECT a.last_id, a.hash INTO last_id, last_hash FROM audit_anchors a ORDER BY a.last_id DESC LIMIT 1;
    END IF;
    FOREACH record_content IN ARRAY contents LOOP
      id := COALESCE(last_id, 0) + 1;
      previous_hash := COALESCE(last_hash, repeat('0', 64));
      hash := encode(sha256(convert_to(previous_hash || E'\\n' || record_content, 'UTF8')), 'hex');
      INSERT INTO audit_records (id, previous_hash, hash, content, at)
        VALUES (append_audit_records.id, append_audit_records.previous_hash, append_audit_records.hash, record_content,
          (record_content::jsonb ->> 'at')::timestamptz);
      last_id := id;
      last_hash := hash;
      RETURN NEXT;
    END LOOP;
  END $$`;

/** Records are deleted only as the oldest part of the chain, in a transaction that leaves the anchor of the next one. */
const REFUSALS = `
  CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'Audit records are only appended: % of % is refused.', TG_OP, TG_TABLE_NAME
      USING ERRCODE = 'restrict_violation';
  END $$;
  CREATE FUNCTION check_audit_retention() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    newest_deleted bigint := (SELECT max(id) FROM deleted);
  BEGIN
    IF EXISTS (SELECT FROM audit_records WHERE id < newest_deleted)
      OR newest_deleted IS NOT NULL AND NOT EXISTS (
        SELECT FROM audit_anchors a JOIN deleted d ON d.id = a.last_id AND d.hash = a.hash
          WHERE a.last_id = newest_deleted
      )
    THEN
      RAISE EXCEPTION 'Audit records are deleted only from the oldest on, with an anchor for the next one.'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$;
  CREATE TRIGGER refuse_change BEFORE UPDATE OR TRUNCATE ON audit_records EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_anchors
    EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER check_retention AFTER DELETE ON audit_records REFERENCING OLD TABLE AS deleted
    EXECUTE FUNCTION check_audit_retention()`;

/** SQL of the initial schema: the audit log as a chain of hashes that is only appended to. */
export const AUDIT = [TABLES, APPEND, REFUSALS].join(';');
