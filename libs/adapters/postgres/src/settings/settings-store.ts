import {
  RepotideError,
  revisionOfSettings,
  type RuntimeSettingName,
  type RuntimeSettings,
  type SettingInForce,
  type SettingsStore,
} from '@core/domain';
import { columnName } from '../sql/columns.js';
import { type Database, type Queryable } from '../sql/database.js';
import { refuseOldRevision } from '../sql/revision.js';
import { RUNTIME_SETTINGS } from './runtime-settings.js';
import { excludeClaims } from './scheduling-gate.js';

interface SettingRow {
  key: string;
  value: unknown;
  updatedBy: string | null;
  updatedAt: Date;
  revision: number;
}

const NAMES = Object.keys(RUNTIME_SETTINGS) as RuntimeSettingName[];

/** Runtime settings in Postgres, not cached; a setting without a row has its default. */
export function createSettingsStore(db: Database): SettingsStore {
  return {
    async read() {
      const settings = await listInForce(db);
      return Object.fromEntries(
        NAMES.map((name, index) => [name, settings[index]?.value]),
      ) as unknown as RuntimeSettings;
    },
    list: () => listInForce(db),
    update: (changes, updatedBy, expectedRevision) =>
      db.transaction(async (tx) => {
        const parsed = Object.entries(changes).map(([key, value]) => parseChange(key, value));
        await excludeClaims(tx);
        refuseOldRevision('list of settings', revisionOfSettings(await listInForce(tx)), expectedRevision);
        for (const { key, value } of parsed) await write(tx, key, value, updatedBy);
        return listInForce(tx);
      }),
  };
}

async function listInForce(db: Queryable): Promise<SettingInForce[]> {
  const rows = await db.query<SettingRow>(
    'SELECT key, value, updated_by AS "updatedBy", updated_at AS "updatedAt", revision FROM settings',
  );
  return NAMES.map((property) => {
    const { schema, default: defaultValue, type, description } = RUNTIME_SETTINGS[property];
    const name = columnName(property);
    const row = rows.find(({ key }) => key === name);
    // The value may be written by hand, or by a version with other rules: the default is safe.
    const stored = schema.safeParse(row?.value);
    const value = stored.success ? stored.data : defaultValue;
    const { updatedBy = null, updatedAt = null, revision = 0 } = row ?? {};
    return { name, value, default: defaultValue, type, description, updatedBy, updatedAt, revision };
  });
}

function parseChange(key: string, value: unknown): { key: string; value: unknown } {
  const property = NAMES.find((name) => columnName(name) === key);
  if (property === undefined) {
    const known = NAMES.map(columnName).join(', ');
    const message = `There is no setting "${key}"; there are ${known}.`;
    throw new RepotideError('invalid', 'setting_unknown', message, { details: { field: key } });
  }
  const { schema, type, default: defaultValue } = RUNTIME_SETTINGS[property];
  const parsed = schema.safeParse(value === null ? defaultValue : value);
  if (parsed.success) return { key, value: parsed.data };
  throw new RepotideError('invalid', 'setting_invalid', `${key} must be ${type}.`, {
    details: { field: key, found: value },
  });
}

async function write(tx: Queryable, key: string, value: unknown, updatedBy: string | null): Promise<void> {
  await tx.query(
    `INSERT INTO settings (key, value, updated_by, updated_at) VALUES ($1, $2::jsonb, $3, clock_timestamp())
      ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_by = excluded.updated_by,
        updated_at = excluded.updated_at, revision = settings.revision + 1`,
    [key, JSON.stringify(value), updatedBy],
  );
}
