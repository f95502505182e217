import {
  checkConnectionBudget,
  connectDatabase,
  migrate,
  startEmbeddedPostgres,
  type ConnectionTarget,
  type Database,
} from '@adapters/postgres';
import { type Logger } from '@core/domain';
import { type Config } from '@platform/config';

/** The database of this process and, in embedded mode, its server. */
export interface DatabaseHandle {
  url: string;
  /** Undefined: no certificates of our own. */
  tlsDir: string | undefined;
  database: Database;
  /** Only this process uses the data, so executions that were running at its start have lost their process. */
  isExclusive: boolean;
  close(): Promise<void>;
}

/**
 * Connects to `DATABASE_URL`, or starts the embedded server under the data directory, and migrates the schema.
 * @throws RepotideError that names the setting to change; it has stopped the server before.
 */
export async function openDatabase(config: Config, logger: Logger): Promise<DatabaseHandle> {
  const { url, tlsDir } = config.postgres;
  if (url !== undefined) {
    const database = await connectMigrated({ url, tlsDir, logger }, config);
    await checkConnectionBudget(database, config.postgres.poolSize, logger);
    return { url, tlsDir, database, isExclusive: false, close: () => database.close() };
  }
  const server = await startEmbeddedPostgres({ dataDir: config.dataDir, logger });
  try {
    const database = await connectMigrated({ url: server.url, logger }, config);
    const close = async (): Promise<void> => {
      await database.close();
      await server.stop();
    };
    return { url: server.url, tlsDir: undefined, database, isExclusive: true, close };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Only migrates the schema, so that a deployment can do it once before it rolls its pods. */
export async function migrateDatabase(config: Config, logger: Logger): Promise<void> {
  const handle = await openDatabase(config, logger);
  await handle.close();
}

async function connectMigrated(target: ConnectionTarget, config: Config): Promise<Database> {
  await migrate(target);
  return connectDatabase({
    ...target,
    poolSize: config.postgres.poolSize,
    applicationName: `repotide:${config.pod.name}`,
  });
}
