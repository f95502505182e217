import pg from 'pg';

/** The work of a child process, as JSON in its argument. */
export interface LimitJob {
  /** Git URLs with user and token. The first is the warm-up. */
  repositories: string[];
  embeddingUrl: string;
  model: string;
  store: { qdrantUrl: string } | { databaseUrl: string };
  dimensions: number;
}

/** What a child process prints, as JSON. */
export interface LimitResult {
  seconds: number;
  cpuSeconds: number;
  files: number;
  chunks: number;
  peakMiB: number;
}

export interface Piece {
  id: string;
  path: string;
  text: string;
}
export type Vector = number[];
export type Store = (batch: readonly Piece[], vectors: readonly Vector[]) => Promise<void>;

/** Opens the store. @returns a function that stores a batch, and one that closes the store. */
export async function openStore({
  store: where,
  dimensions,
}: LimitJob): Promise<[Store, () => Promise<void>]> {
  if ('qdrantUrl' in where) {
    const collection = `${where.qdrantUrl}/collections/limit`;
    await post(collection, 'PUT', { vectors: { size: dimensions, distance: 'Cosine' } });
    const store: Store = async (batch, vectors) => {
      const points = batch.map(({ id, path, text }, index) => ({
        ...{ id, vector: vectors[index], payload: { path, text } },
      }));
      await (await post(`${collection}/points?wait=true`, 'PUT', { points })).text();
    };
    return [store, () => Promise.resolve()];
  }
  const pool = new pg.Pool({ connectionString: where.databaseUrl });
  await pool.query('CREATE TABLE points (id uuid PRIMARY KEY, path text, vector bytea, text text)');
  const store: Store = async (batch, vectors) => {
    await pool.query(
      'INSERT INTO points SELECT * FROM unnest($1::uuid[], $2::text[], $3::bytea[], $4::text[])',
      [
        batch.map(({ id }) => id),
        batch.map(({ path }) => path),
        vectors.map((vector) => Buffer.from(Float32Array.from(vector).buffer)),
        batch.map(({ text }) => text),
      ],
    );
  };
  return [store, () => pool.end()];
}

/** @throws when the answer is no success. */
export async function post(url: string, method: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer;
}
