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

/** A change that the next version may make: it only adds. */
class NextAdds1999999999999 {
  readonly name = 'NextAdds1999999999999';
  async up(runner: { query(sql: string): Promise<unknown> }): Promise<void> {
    await runner.query('ALTER TABLE schedule_execution_logs ADD COLUMN from_next int NOT NULL DEFAULT 1');
    await runner.query('CREATE TABLE next (n int)');
  }
  async down(): Promise<void> {}
}
const NEXT_VERSION = [...MIGRATIONS, NextAdds1999999999999];

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
  it('creates the schema in an empty database, and changes nothing the second time', async () => {
    expect(await schemaStatus(db)).toEqual({ applied: [], pending: ALL, unknown: [], isCurrent: false });
    await expect(assertSchemaCurrent(db)).rejects.toMatchObject({ code: 'schema_outdated' });
    expect(await migrate({ url: database.url, logger: silentLogger })).toEqual(ALL);
    expect(await migrate({ url: database.url, logger: silentLogger })).toEqual([]);
    expect(await schemaStatus(db)).toEqual({ applied: ALL, pending: [], unknown: [], isCurrent: true });
    await expect(assertSchemaCurrent(db)).resolves.toBeUndefined();
  });

  it('upgrades a database of this version to the next one and keeps the data', async () => {
    await migrate({ url: database.url, logger: silentLogger });
    await db.query(
      `INSERT INTO repositories (provider, base_url, project_id, project_path, branch, collection_name,
        max_file_bytes, chunk_size, chunk_overlap)
        VALUES ('gitlab', 'https://g', 1, 'a/b', 'main', 'code', 1, 2, 1)`,
    );
    await db.query(
      `INSERT INTO schedule_execution_logs (repository_id, trigger, status, pod_name, completed_at)
        SELECT id, 'manual', 'failed', 'pod-1', now() FROM repositories`,
    );
    const applied = await migrate({ url: database.url, logger: silentLogger, migrations: NEXT_VERSION });
    expect(applied).toEqual(['NextAdds1999999999999']);
    expect(await db.query('SELECT pod_name, from_next FROM schedule_execution_logs')).toEqual([
      { podName: 'pod-1', fromNext: 1 },
    ]);
  });

  it('creates the same schema by upgrade as in an empty database', async () => {
    const fresh = await createTestDatabase('empty');
    const freshDb = await connectDatabase({ url: fresh.url, poolSize: 1, logger: silentLogger });
    try {
      for (let count = 1; count <= NEXT_VERSION.length; count += 1) {
        const migrations = NEXT_VERSION.slice(0, count);
        await migrate({ url: database.url, logger: silentLogger, migrations });
      }
      await migrate({ url: fresh.url, logger: silentLogger, migrations: NEXT_VERSION });
      expect(await describeSchema(db)).toEqual(await describeSchema(freshDb));
    } finally {
      await freshDb.close();
      await fresh.drop();
    }
  });

  it('applies each migration once when several processes start at the same time', async () => {
    const outputs = await Promise.all([1, 2, 3].map(() => migrateInChild(database.url)));
    const applied = outputs.map((output) => JSON.parse(output) as string[]);
    expect(applied.flat().sort()).toEqual([...ALL].sort());
    expect(applied.filter((names) => names.length === 0)).toHaveLength(2);
    const [row] = await db.query('SELECT count(*) AS count FROM repotide_migrations');
    expect(row).toEqual({ count: ALL.length });
  });

  it('rolls back a failed migration, and keeps the earlier ones', async () => {
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

  it('lets this version work after the next one has migrated, as during an upgrade or after a rollback', async () => {
    await migrate({ url: database.url, logger: silentLogger, migrations: NEXT_VERSION });
    const before = await describeSchema(db);
    await expect(migrate({ url: database.url, logger: silentLogger })).resolves.toEqual([]);
    await expect(assertSchemaCurrent(db)).resolves.toBeUndefined();
    expect(await describeSchema(db)).toEqual(before);
  });

  it('refuses a database with a breaking migration of a newer version', async () => {
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

  it('refuses to revert a migration', async () => {
    for (const migration of MIGRATIONS) {
      await expect(new migration().down({} as never)).rejects.toThrow('restore a backup');
    }
  });
});

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
