import { RepotideError, revisionOfSettings, type RuntimeSettings, type SettingState } from '@core/domain';
import { z } from 'zod';
import { type Database, type Queryable } from '../sql/database.js';
import { refuseOldRevision } from '../sql/database-error.js';
import { columnName } from '../sql/rows.js';
import { excludeClaims } from './scheduling-gate.js';

interface Definition<Value> {
  schema: z.ZodType<Value>;
  default: Value;
  /** The accepted values, in words. */
  type: string;
  description: string;
}

const DEFINITIONS: { readonly [Name in keyof RuntimeSettings]: Definition<RuntimeSettings[Name]> } = {
  schedulingPaused: {
    schema: z.boolean(),
    default: false,
    type: 'true or false',
    description:
      'While true no pod claims a tick. Due ticks stay due, and once it is false again misfire grace and coalescing decide on them. Manual and webhook runs go on.',
  },
  maxRunSeconds: {
    // Same limit as MAX_RUN_SECONDS: a week at most.
    schema: z.int().min(1).max(604_800).nullable(),
    default: null,
    type: 'a whole number from 1 to 604800, or null',
    description:
      'Time limit of runs that start from now on, for all pods. Null: what MAX_RUN_SECONDS says on each.',
  },
};

/** By name in the table and in the API. */
const SETTINGS: ReadonlyMap<string, Definition<unknown>> = new Map(
  Object.entries(DEFINITIONS).map(([property, definition]) => [columnName(property), definition]),
);

type SettingRow = Pick<SettingState, 'updatedBy' | 'updatedAt' | 'revision'> & {
  key: string;
  value: unknown;
};

/** SQL of a setting's stored value, for {@link settingOf}. */
export const settingSql = (name: keyof RuntimeSettings): string =>
  `(SELECT value FROM settings WHERE key = '${columnName(name)}')`;

/** The value in force. A stored one may be written by hand, or by a version with other rules: the default is safe. */
export function settingOf<Name extends keyof RuntimeSettings>(
  name: Name,
  stored: unknown,
): RuntimeSettings[Name] {
  const { schema, default: value } = DEFINITIONS[name] as Definition<RuntimeSettings[Name]>;
  const parsed = schema.safeParse(stored);
  return parsed.success ? parsed.data : value;
}

/** Runtime settings in Postgres, not cached; a setting without a row has its default. */
export class SettingsStore {
  constructor(private readonly db: Database) {}

  /** All settings, in a fixed order. */
  list(): Promise<SettingState[]> {
    return listInForce(this.db);
  }

  /**
   * Changes the given settings in one transaction. The change applies to every pod when the promise resolves: no claim
   * with the old values commits later. Null restores a default.
   * @param changes values by name in snake_case.
   * @param expectedRevision see {@link revisionOfSettings}.
   * @throws invalid `setting_unknown`, `setting_invalid` with the field in its details; conflict `revision_mismatch`.
   */
  update(
    changes: Readonly<Record<string, unknown>>,
    updatedBy: string | null,
    expectedRevision?: number,
  ): Promise<SettingState[]> {
    return this.db.transaction(async (tx) => {
      const parsed = Object.entries(changes).map(([name, value]) => [name, parse(name, value)] as const);
      await excludeClaims(tx);
      refuseOldRevision('list of settings', revisionOfSettings(await listInForce(tx)), expectedRevision);
      for (const [name, value] of parsed) {
        await tx.query(
          `INSERT INTO settings (key, value, updated_by, updated_at) VALUES ($1, $2::jsonb, $3, clock_timestamp())
            ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_by = excluded.updated_by,
              updated_at = excluded.updated_at, revision = settings.revision + 1`,
          [name, JSON.stringify(value), updatedBy],
        );
      }
      return listInForce(tx);
    });
  }
}

async function listInForce(db: Queryable): Promise<SettingState[]> {
  const rows = await db.query<SettingRow>('SELECT * FROM settings');
  return [...SETTINGS].map(([name, { schema, ...definition }]) => {
    const row = rows.find(({ key }) => key === name);
    const stored = schema.safeParse(row?.value);
    const value = stored.success ? stored.data : definition.default;
    const { updatedBy = null, updatedAt = null, revision = 0 } = row ?? {};
    return { name, value, ...definition, updatedBy, updatedAt, revision };
  });
}

function parse(name: string, value: unknown): unknown {
  const setting = SETTINGS.get(name);
  if (setting === undefined) {
    const message = `There is no setting "${name}"; there are ${[...SETTINGS.keys()].join(', ')}.`;
    throw new RepotideError('invalid', 'setting_unknown', message, { details: { field: name } });
  }
  const parsed = setting.schema.safeParse(value === null ? setting.default : value);
  if (parsed.success) return parsed.data;
  throw new RepotideError('invalid', 'setting_invalid', `${name} must be ${setting.type}.`, {
    details: { field: name, found: value },
  });
}
