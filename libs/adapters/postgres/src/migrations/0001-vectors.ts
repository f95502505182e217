/** SQL of the initial schema: embedding models, the cache of vectors, and the embedded vector store. */
export const VECTORS = `
  CREATE TABLE embedding_models (
    -- With the vector length, and a number where several models answered under one name.
    id text PRIMARY KEY,
    name text NOT NULL, dimensions integer NOT NULL CHECK (dimensions > 0),
    -- Where it was seen last.
    server text NOT NULL,
    -- Its vector of a fixed text: 32-bit floats, little-endian.
    canary bytea NOT NULL,
    -- Which lengths of chunks the server embeds whole.
    limits jsonb NOT NULL DEFAULT '{}',
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX embedding_models_name_idx ON embedding_models (name, seen_at);
  CREATE TABLE embedding_cache (
    -- The id of an embedder: it differs for everything that determines a vector.
    model_id text NOT NULL, content_hash text NOT NULL,
    -- 32-bit floats, little-endian.
    vector bytea NOT NULL, used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (model_id, content_hash)
  );
  CREATE INDEX embedding_cache_used_idx ON embedding_cache (used_at);
  -- Texts that a run embeds now, so that no other run embeds them at the same time. Unlogged: a crash of Postgres loses
  -- the claims, and they would have expired.
  CREATE UNLOGGED TABLE embedding_claims (
    model_id text, content_hash text, expires_at timestamptz NOT NULL, PRIMARY KEY (model_id, content_hash)
  );
  -- The embedded vector store, for installations without Qdrant.
  CREATE TABLE vector_collections (
    name text PRIMARY KEY,
    dimensions integer NOT NULL CHECK (dimensions > 0),
    -- Vectors of two models never share a collection.
    model_id text NOT NULL,
    incarnation text NOT NULL DEFAULT gen_random_uuid()::text,
    created_at timestamptz NOT NULL DEFAULT now()
  );
  CREATE TABLE vector_points (
    collection text NOT NULL REFERENCES vector_collections (name) ON DELETE CASCADE,
    id uuid NOT NULL, repository_id text NOT NULL,
    path text COLLATE "C" NOT NULL,
    directories text[] NOT NULL, language text, file_version text NOT NULL, blob_sha text NOT NULL,
    chunk_index integer NOT NULL, fence bigint NOT NULL,
    -- 32-bit floats, little-endian, of length 1.
    vector bytea NOT NULL,
    -- json, not jsonb: source text may hold what jsonb refuses, e.g. a NUL.
    payload json NOT NULL,
    -- Term ids (32 bits, little-endian), then their weights as 32-bit floats. Null: not computed yet.
    terms bytea,
    -- The transaction that wrote the row last: a process reads only what changed.
    written_by xid8 NOT NULL DEFAULT '0',
    PRIMARY KEY (collection, id)
  );
  -- A search reads every vector and few payloads: keep vectors in the row, let payloads move out.
  ALTER TABLE vector_points ALTER COLUMN vector SET STORAGE MAIN;
  -- The beginning of a path is selective enough, and fits into a B-tree; queries compare the whole path too.
  CREATE INDEX vector_points_file_idx ON vector_points (collection, repository_id, left(path, 500), id);
  -- Answers the tally of a repository's points without reading them.
  CREATE INDEX vector_points_fence_idx ON vector_points (collection, repository_id, fence);
  CREATE INDEX vector_points_written_idx ON vector_points (collection, written_by);
  CREATE INDEX vector_points_without_terms_idx ON vector_points (collection, repository_id) WHERE terms IS NULL`;
