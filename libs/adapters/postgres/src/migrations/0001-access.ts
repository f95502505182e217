/** SQL of the initial schema: secrets, settings, callers, pods, and what webhooks of GitLab delivered. */
export const ACCESS = `
  CREATE TABLE credentials (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL UNIQUE,
    kind text NOT NULL CHECK (kind IN ('token', 'oauth')),
    base_url text NOT NULL,
    -- AES-256-GCM; key_id says which REPOTIDE_ENCRYPTION_KEY encrypted it, so that keys can be rotated.
    ciphertext bytea NOT NULL, nonce bytea NOT NULL, auth_tag bytea NOT NULL, key_id text NOT NULL,
    -- When the OAuth access token inside expires.
    expires_at timestamptz,
    -- Grows with each new secret; an update under an older value is refused.
    generation integer NOT NULL DEFAULT 1,
    -- Set before the refresh token is sent. It works once: after a crash in between it may be used up.
    refresh_claim uuid, refresh_claimed_at timestamptz, needs_login_since timestamptz, login_error text,
    created_at timestamptz NOT NULL DEFAULT now(), updated_at timestamptz NOT NULL DEFAULT now(),
    CHECK ((refresh_claim IS NULL) = (refresh_claimed_at IS NULL)),
    CHECK (expires_at IS NULL OR kind = 'oauth')
  );
  -- One row: tells collections of this database in a shared vector store from those of others. A backup keeps it.
  CREATE TABLE installation (id uuid NOT NULL DEFAULT gen_random_uuid());
  INSERT INTO installation DEFAULT VALUES;
  CREATE TABLE settings (
    key text PRIMARY KEY,
    value jsonb NOT NULL, revision integer NOT NULL DEFAULT 1, updated_by text,
    updated_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE api_tokens (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    -- SHA-256 of the token, hex.
    token_hash text NOT NULL UNIQUE,
    -- Patterns of project paths; null: everything.
    scope text[],
    created_by text, created_at timestamptz NOT NULL DEFAULT now(), expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  );
  CREATE TABLE pods (
    boot_id uuid PRIMARY KEY,
    pod_name text NOT NULL, roles text[] NOT NULL, version text NOT NULL, mode text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The configured embedding model; null: none is configured.
    model_id text
  );
  CREATE TABLE idempotency_keys (
    caller text NOT NULL, key text NOT NULL, request_hash text NOT NULL, execution_id uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (caller, key)
  );
  CREATE INDEX idempotency_keys_created_idx ON idempotency_keys (created_at);
  CREATE TABLE webhook_deliveries (
    delivery_id text PRIMARY KEY,
    received_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX webhook_deliveries_received_idx ON webhook_deliveries (received_at);
  -- People who signed in with a browser, until they sign out or their session ends.
  CREATE TABLE user_sessions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    -- SHA-256 of the cookie's value.
    token_hash text NOT NULL UNIQUE,
    -- As the provider named the person and its rights at the sign-in.
    subject text NOT NULL, name text NOT NULL,
    role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    scope text[],
    is_member boolean NOT NULL, gitlab_user_id bigint,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    last_used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    expires_at timestamptz NOT NULL
  );
  CREATE INDEX user_sessions_expires_at_idx ON user_sessions (expires_at)`;
