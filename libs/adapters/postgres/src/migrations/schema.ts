import { RepotideError } from '@core/domain';
import { AbstractLogger, DataSource } from 'typeorm';
import { LOCKS } from '../sql/advisory-locks.js';
import { type ConnectionTarget } from '../sql/connection-target.js';
import { type DatabaseOptions, poolSettings } from '../sql/connection-pool.js';
import { connectDatabase, type Queryable } from '../sql/database.js';
import { sqlStateOf, SQLSTATE, translateDatabaseError, addressOf } from '../sql/database-error.js';
import { type MigrationClass, MIGRATIONS } from './index.js';

const MIGRATIONS_TABLE = 'repotide_migrations';
/** Another process may be building an index on a large table. */
const LOCK_WAIT_MS = 600_000;
/** The oldest version with `gen_random_uuid()` without an extension that still gets security fixes. */
const OLDEST_SERVER = 140_000;

export interface SchemaStatus {
  /** Names in order of application. */
  applied: string[];
  /** Known to this binary, not yet applied. */
  pending: string[];
  /** Applied by a newer binary. Harmless to this one, unless its name begins with `Breaking`. */
  unknown: string[];
  isCurrent: boolean;
}

export interface MigrateOptions extends ConnectionTarget {
  /** Default: all of this version. */
  migrations?: readonly MigrationClass[];
}

/** Compares the migrations in the database with those of this binary. Changes nothing. */
export async function schemaStatus(
  database: Queryable,
  migrations: readonly MigrationClass[] = MIGRATIONS,
): Promise<SchemaStatus> {
  const applied = await appliedMigrations(database);
  const known = migrations.map((migration) => new migration().name);
  const pending = known.filter((name) => !applied.includes(name));
  const unknown = applied.filter((name) => !known.includes(name));
  return { applied, pending, unknown, isCurrent: pending.length === 0 && unknown.length === 0 };
}

/** @throws conflict `schema_newer_than_binary`; invalid `schema_outdated`. */
export async function assertSchemaCurrent(database: Queryable): Promise<void> {
  const status = await schemaStatus(database);
  refuseNewer(status);
  if (status.pending.length > 0) {
    const message = `The database lacks ${status.pending.join(', ')}. Run "repotide migrate" before starting this version.`;
    throw new RepotideError('invalid', 'schema_outdated', message, { details: { pending: status.pending } });
  }
}

/**
 * Migrates the schema to this version, each migration in a separate transaction. Several processes may do
 * this at once: one migrates, the others wait and have nothing to do. Repeating is harmless.
 * @returns the names of the migrations that this call applied.
 * @throws conflict `schema_newer_than_binary`; invalid `database_too_old`; temporary
 *   `migration_lock_timeout`.
 */
export async function migrate(options: MigrateOptions): Promise<string[]> {
  const migrations = options.migrations ?? MIGRATIONS;
  const target = { ...options, applicationName: 'repotide-migrate', statementTimeoutMs: 0 };
  const database = await connectDatabase({ ...target, poolSize: 1 });
  try {
    // The lock lives in a transaction on a separate connection: it ends with the process, and a transaction pooler
    // (PgBouncer) keeps one server connection for it.
    return await database.transaction(async (tx) => {
      await refuseOldServer(tx);
      await lockMigrations(tx);
      const status = await schemaStatus(tx, migrations);
      refuseNewer(status);
      if (status.pending.length === 0) return [];
      return await applyPending({ ...target, poolSize: 2 }, migrations);
    });
  } finally {
    await database.close();
  }
}

/** A log of TypeORM would contain statements with their values. Errors are thrown. */
class SilentLogger extends AbstractLogger {
  protected writeLog(): void {}
}

async function applyPending(
  target: DatabaseOptions,
  migrations: readonly MigrationClass[],
): Promise<string[]> {
  const { url, logger } = target;
  const dataSource = new DataSource({
    type: 'postgres',
    migrations: [...migrations],
    migrationsTableName: MIGRATIONS_TABLE,
    installExtensions: false,
    logger: new SilentLogger(),
    // Not TypeORM's own options, which lose sslmode and other parameters of the URL.
    extra: poolSettings(target),
  });
  try {
    await dataSource.initialize();
    const applied = await dataSource.runMigrations({ transaction: 'each' });
    const names = applied.map(({ name }) => name);
    logger.info({ migrations: names }, 'database schema migrated');
    return names;
  } catch (error) {
    // TypeORM wraps pg's error and adds statement and parameters.
    const driverError: unknown = error instanceof Error && 'driverError' in error ? error.driverError : error;
    throw translateDatabaseError(driverError, addressOf(url));
  } finally {
    if (dataSource.isInitialized) await dataSource.destroy();
  }
}

async function lockMigrations(tx: Queryable): Promise<void> {
  await tx.query(`SET LOCAL idle_in_transaction_session_timeout = 0`);
  await tx.query(`SET LOCAL lock_timeout = ${LOCK_WAIT_MS}`);
  try {
    await tx.query('SELECT pg_advisory_xact_lock($1::bigint)', [LOCKS.migration]);
  } catch (error) {
    if (sqlStateOf(error) !== SQLSTATE.lockNotAvailable) throw error;
    const message = `Another process has been migrating this database for ${LOCK_WAIT_MS / 1000} s. Look for "repotide-migrate" in pg_stat_activity.`;
    throw new RepotideError('temporary', 'migration_lock_timeout', message, { cause: error });
  }
}

async function appliedMigrations(database: Queryable): Promise<string[]> {
  const [table] = await database.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [
    MIGRATIONS_TABLE,
  ]);
  if (table?.exists !== true) return [];
  const rows = await database.query<{ name: string }>(`SELECT name FROM ${MIGRATIONS_TABLE} ORDER BY id`);
  return rows.map(({ name }) => name);
}

function refuseNewer({ unknown }: SchemaStatus): void {
  const breaking = unknown.filter(isBreaking);
  if (breaking.length === 0) return;
  const message = `The database was migrated by a newer version that this one cannot share it with (${breaking.join(', ')}). Start that version, or restore the backup made before the upgrade.`;
  const details = { unknown: breaking };
  throw new RepotideError('conflict', 'schema_newer_than_binary', message, { details });
}

/**
 * Pods of two versions share the database during an upgrade and after a roll-back. A migration only adds, so
 * that the previous version keeps working. If it removes what that version may still use, its name begins
 * with `Breaking`.
 */
function isBreaking(name: string): boolean {
  return name.startsWith('Breaking');
}

async function refuseOldServer(tx: Queryable): Promise<void> {
  const [row] = await tx.query<{ version: number; shown: string }>(
    `SELECT current_setting('server_version_num')::int AS version, current_setting('server_version') AS shown`,
  );
  if (row === undefined || row.version >= OLDEST_SERVER) return;
  const message = `DATABASE_URL points at Postgres ${row.shown}; version 14 or newer is needed.`;
  throw new RepotideError('invalid', 'database_too_old', message);
}
