import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import {
  assertSchemaCurrent,
  connectDatabase,
  type Database,
  migrate,
  MIGRATIONS,
  schemaStatus,
} from '@adapters/postgres';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { silentLogger } from '../../support/silent-logger.js';

const ALL = MIGRATIONS.map((migration) => new migration().name);
const PREVIOUS = MIGRATIONS.slice(0, -1);

let database: TestDatabase;
let db: Database;

beforeEach(async () => {
  database = await createTestDatabase('empty');
  db = await connectDatabase({ url: database.url, poolSize: 2, logger: silentLogger });
});
afterEach(async () => {
  await db.close();
  await database.drop();
});

describe('migrate', () => {
  it('makes the schema from nothing, and finds nothing to do the second time', async () => {
    expect(await schemaStatus(db)).toEqual({ applied: [], pending: ALL, unknown: [], isCurrent: false });
    await expect(assertSchemaCurrent(db)).rejects.toMatchObject({ code: 'schema_outdated' });
    expect(await migrate({ url: database.url, logger: silentLogger })).toEqual(ALL);
    expect(await migrate({ url: database.url, logger: silentLogger })).toEqual([]);
    expect(await schemaStatus(db)).toEqual({ applied: ALL, pending: [], unknown: [], isCurrent: true });
    await expect(assertSchemaCurrent(db)).resolves.toBeUndefined();
  });

  it('upgrades the previous version with its data in place', async () => {
    await migrate({ url: database.url, logger: silentLogger, migrations: PREVIOUS });
    await db.query(
      `INSERT INTO repositories (provider, base_url, project_id, project_path, branch, collection_name,
        max_file_bytes, chunk_size, chunk_overlap)
        VALUES ('gitlab', 'https://g', 1, 'a/b', 'main', 'code', 1, 2, 1)`,
    );
    await db.query(
      `INSERT INTO schedule_execution_logs (repository_id, trigger, status, pod_name, completed_at)
        SELECT id, 'manual', 'failed', 'pod-1', now() FROM repositories`,
    );
    expect(await migrate({ url: database.url, logger: silentLogger })).toEqual(ALL.slice(-1));
    expect(await db.query('SELECT pod_name FROM schedule_execution_logs')).toEqual([{ pod_name: 'pod-1' }]);
  });

  it('adopts the manifest of an embedded index as its first generation, and drops what must be built anew', async () => {
    const before = ALL.findIndex((name) => name.startsWith('BreakingIndexGenerations'));
    await migrate({ url: database.url, logger: silentLogger, migrations: MIGRATIONS.slice(0, before) });
    await fillManifest();
    await migrate({ url: database.url, logger: silentLogger });
    expect(
      await db.query(
        `SELECT r.project_path AS project, r.last_synced_commit AS shown, g.collection_name AS collection,
            g.physical_name AS physical, g.model_id AS model, g.dimensions, g.status, i.last_synced_commit AS commit,
            i.index_fingerprint AS fingerprint, i.index_dirty AS dirty,
            (SELECT array_agg(path ORDER BY path) FROM repository_files f
              WHERE f.repository_id = r.id AND f.generation_id = g.id) AS files,
            (SELECT array_agg(path ORDER BY path) FROM repository_folders f
              WHERE f.repository_id = r.id AND f.generation_id = g.id) AS folders
          FROM repositories r LEFT JOIN repository_indexes i ON i.repository_id = r.id
            LEFT JOIN index_generations g ON g.id = i.generation_id ORDER BY r.project_id`,
      ),
    ).toEqual([
      {
        ...{
          project: 'a/embedded',
          shown: 'c1',
          collection: 'code',
          physical: 'code',
          model: 'm',
          dimensions: 8,
        },
        ...{ status: 'active', commit: 'c1', fingerprint: 'f', dirty: true },
        ...{ files: ['a.ts', 'b.ts'], folders: ['', 'src'] },
      },
      // In Qdrant: nobody here knows its model.
      {
        ...{
          project: 'a/qdrant',
          shown: null,
          collection: null,
          physical: null,
          model: null,
          dimensions: null,
        },
        ...{ status: null, commit: null, fingerprint: null, dirty: null, files: null, folders: null },
      },
    ]);
    const [left] = await db.query('SELECT count(*) AS files FROM repository_files');
    expect(left).toEqual({ files: 2 });
  });

  it('gives the same schema by upgrade as from nothing', async () => {
    const fresh = await createTestDatabase('migrated');
    const freshDb = await connectDatabase({ url: fresh.url, poolSize: 1, logger: silentLogger });
    try {
      for (let count = 1; count <= MIGRATIONS.length; count += 1) {
        const migrations = MIGRATIONS.slice(0, count);
        await migrate({ url: database.url, logger: silentLogger, migrations });
      }
      expect(await describeSchema(db)).toEqual(await describeSchema(freshDb));
    } finally {
      await freshDb.close();
      await fresh.drop();
    }
  });

  it('is done once when several processes start at the same moment', async () => {
    const outputs = await Promise.all([1, 2, 3].map(() => migrateInChild(database.url)));
    const applied = outputs.map((output) => JSON.parse(output) as string[]);
    expect(applied.flat().sort()).toEqual([...ALL].sort());
    expect(applied.filter((names) => names.length === 0)).toHaveLength(2);
    const [row] = await db.query('SELECT count(*) AS count FROM repotide_migrations');
    expect(row).toEqual({ count: ALL.length });
  });

  it('leaves nothing of a migration that fails, and keeps those before it', async () => {
    class Broken1999999999999 {
      readonly name = 'Broken1999999999999';
      async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
        await runner.query('CREATE TABLE half_done (n int)');
        await runner.query('SELECT no_such_function()');
      }
      async down(): Promise<void> {}
    }
    const migrations = [...MIGRATIONS, Broken1999999999999];
    await expect(migrate({ url: database.url, logger: silentLogger, migrations })).rejects.toMatchObject({
      details: { sqlstate: '42883' },
    });
    expect(await schemaStatus(db)).toMatchObject({ applied: ALL, isCurrent: true });
    expect(await db.query(`SELECT to_regclass('half_done') AS found`)).toEqual([{ found: null }]);
  });

  it('lets the version before work on, as it does during an upgrade and after a roll-back', async () => {
    // A breaking one says that it does not; the rule holds for the newest of the others.
    const migrations = MIGRATIONS.slice(0, ALL.findLastIndex((name) => !name.startsWith('Breaking')) + 1);
    await migrate({ url: database.url, logger: silentLogger, migrations });
    const before = await describeSchema(db);
    const olderBinary = { url: database.url, logger: silentLogger, migrations: migrations.slice(0, -1) };
    await expect(migrate(olderBinary)).resolves.toEqual([]);
    expect(await describeSchema(db)).toEqual(before);
    await db.query(`INSERT INTO repotide_migrations (timestamp, name) VALUES (1, 'FromTheFuture1')`);
    await expect(migrate(olderBinary)).resolves.toEqual([]);
  });

  it('refuses a database that a newer version changed so that this one cannot use it', async () => {
    await migrate({ url: database.url, logger: silentLogger });
    await db.query(`INSERT INTO repotide_migrations (timestamp, name) VALUES (1, 'BreakingRename1')`);
    const refusal = {
      kind: 'conflict',
      code: 'schema_newer_than_binary',
      details: { unknown: ['BreakingRename1'] },
    };
    await expect(migrate({ url: database.url, logger: silentLogger })).rejects.toMatchObject(refusal);
    await expect(assertSchemaCurrent(db)).rejects.toMatchObject(refusal);
  });

  it('does not go back', async () => {
    for (const migration of MIGRATIONS) {
      await expect(new migration().down({} as never)).rejects.toThrow('restore a backup');
    }
  });
});

/** As a version before generations of an index left it: one repository in the embedded store, one in Qdrant. */
async function fillManifest(): Promise<void> {
  await db.query(`INSERT INTO vector_collections (name, dimensions, model_id) VALUES ('code', 8, 'm')`);
  await db.query(
    `INSERT INTO repositories (provider, base_url, project_id, project_path, branch, collection_name,
        max_file_bytes, chunk_size, chunk_overlap, last_synced_commit, last_sync_at, index_fingerprint, index_dirty)
      VALUES ('gitlab', 'https://g', 1, 'a/embedded', 'main', 'code', 1, 2, 1, 'c1', now(), 'f', true),
        ('gitlab', 'https://g', 2, 'a/qdrant', 'main', 'elsewhere', 1, 2, 1, 'c2', now(), 'f', false)`,
  );
  await db.query(
    `INSERT INTO repository_files (repository_id, path, mode, blob_sha, fingerprint)
      SELECT id, path, '100644', 'sha', 'f' FROM repositories, (VALUES ('a.ts'), ('b.ts')) AS file (path)`,
  );
  await db.query(
    `INSERT INTO repository_folders (repository_id, path, parent_path, file_count, indexed_file_count, size_bytes)
      SELECT id, path, parent, 2, 2, 10 FROM repositories, (VALUES ('', NULL), ('src', '')) AS folder (path, parent)`,
  );
}

async function describeSchema(target: Database): Promise<unknown[]> {
  const columns = await target.query(
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
      WHERE table_schema = 'public' ORDER BY table_name, column_name`,
  );
  const indexes = await target.query(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname`,
  );
  return [...columns, ...indexes];
}

async function migrateInChild(url: string): Promise<string> {
  const script = fileURLToPath(new URL('./migrate-child.ts', import.meta.url));
  const loader = new URL('../../support/register-typescript.mjs', import.meta.url).href;
  const child = spawn(process.execPath, ['--no-warnings', '--import', loader, script, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_OPTIONS: '' },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`the migrating process ended with ${code}`);
  return output;
}
