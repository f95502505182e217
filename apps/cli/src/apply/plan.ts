import { isDeepStrictEqual } from 'node:util';
import { CommandFailure, EXIT, usageFailure } from '../failure.js';
import { type Schemas } from '../service/client.js';
import { findRow, rowsOf, type LiveRow, type LiveState } from './live-state.js';
import { digestOf, type Kind, type Wanted } from './wanted.js';

export interface FieldChange {
  field: string;
  from: unknown;
  to: unknown;
}

export interface Change {
  action: 'create' | 'update' | 'delete';
  kind: Kind;
  key: string;
  /** Null until it is created. */
  id: string | null;
  fields: FieldChange[];
  /** The files say the same as when they were last applied: somebody changed the resource by hand. */
  isDrift: boolean;
  wanted: Wanted | null;
}

export interface Plan {
  changes: Change[];
  /** Declared resources that exist as declared. */
  unchanged: { wanted: Wanted; id: string }[];
  /** Declared by a former application, and no longer. */
  forgotten: Schemas['DeclaredResourceDto'][];
}

const DELETE_ORDER: readonly Kind[] = ['schedule', 'repository', 'discovery', 'credential'];
/** Fields by which a resource is found, which cannot change. */
const IDENTITY: Readonly<Record<Kind, readonly string[]>> = {
  credential: ['name', 'base_url', 'username'],
  repository: ['project_path', 'git_url', 'base_url'],
  schedule: [],
  discovery: ['name', 'base_url'],
};
const FIXED: Partial<Record<Kind, readonly string[]>> = {
  repository: ['collection_name'],
  discovery: ['group_path'],
};

/** Compares the files with the service. @throws CommandFailure for what cannot be applied. */
export function planOf(wanted: readonly Wanted[], live: LiveState, isPruned: boolean): Plan {
  const plan: Plan = { changes: [], unchanged: [], forgotten: [] };
  const parents = new Map<string, string>();
  for (const each of wanted) {
    const parentId = each.parent === undefined ? null : (parents.get(each.parent) ?? null);
    const row = each.parent !== undefined && parentId === null ? null : findRow(each, live, parentId);
    if (row && each.kind === 'repository') parents.set(each.key, row.id);
    const fields = row ? differencesOf(each, row, live, wanted) : [];
    // A name that neither the files nor the service know is found before anything is changed.
    if (!row) credentialIdOf(each, live, wanted);
    if (row && fields.length === 0) plan.unchanged.push({ wanted: each, id: row.id });
    else {
      const { kind, key } = each;
      const isDrift = wasAppliedAs(each, live);
      plan.changes.push({
        action: row ? 'update' : 'create',
        kind,
        key,
        id: row?.id ?? null,
        fields,
        isDrift,
        wanted: each,
      });
    }
  }
  plan.forgotten = live.former.filter(
    ({ kind, key }) => !wanted.some((each) => each.kind === kind && each.key === key),
  );
  if (isPruned) plan.changes.push(...deletionsOf(plan.forgotten, live));
  return plan;
}

function deletionsOf(forgotten: Plan['forgotten'], live: LiveState): Change[] {
  const existing = forgotten.filter(({ kind, resource_id: id }) =>
    rowsOf(live, kind).some((row) => row.id === id),
  );
  return existing
    .sort((one, other) => DELETE_ORDER.indexOf(one.kind) - DELETE_ORDER.indexOf(other.kind))
    .map(({ kind, key, resource_id: id }) => ({
      ...{ action: 'delete', kind, key, id, fields: [], isDrift: false, wanted: null },
    }));
}

function wasAppliedAs(wanted: Wanted, live: LiveState): boolean {
  const former = live.former.find((each) => each.kind === wanted.kind && each.key === wanted.key);
  return former?.digest === digestOf(wanted);
}

/** The fields that the files give and the row has otherwise. What the files do not mention is left alone. */
function differencesOf(
  each: Wanted,
  row: LiveRow,
  live: LiveState,
  wanted: readonly Wanted[],
): FieldChange[] {
  const given = Object.entries(each.fields).filter(([name]) => !IDENTITY[each.kind].includes(name));
  return given.flatMap(([name, declared]): FieldChange[] => {
    const field = name === 'credential' ? 'credential_id' : name;
    const to = name === 'credential' ? credentialIdOf(each, live, wanted) : filledIn(declared, row[field]);
    const from = row[field] ?? null;
    if (isDeepStrictEqual(from, to)) return [];
    if (FIXED[each.kind]?.includes(field)) throw fixed(each, field, from);
    return [{ field, from, to }];
  });
}

/** An object of the files may leave out members, which then stay as they are. */
function filledIn(declared: unknown, current: unknown): unknown {
  const isObject = (value: unknown): value is object =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject(declared) && isObject(current) ? { ...current, ...declared } : declared;
}

/** @returns null for the token of the service; undefined where the field is absent, or its credential is created first. */
export function credentialIdOf(
  { kind, fields, place, key }: Wanted,
  live: Pick<LiveState, 'credentials'>,
  wanted: readonly Wanted[],
): string | null | undefined {
  const name = fields['credential'] as string | null | undefined;
  if (name === undefined || name === null) return name;
  const found = live.credentials.find((each) => each.name === name);
  if (found) return found.id;
  if (wanted.some((each) => each.kind === 'credential' && each.key === name)) return undefined;
  const known = live.credentials.map((each) => each.name).join(', ') || 'none';
  const message = `${place}: ${kind} ${key}: there is no credential "${name}"; declare it, or use one of: ${known}.`;
  throw new CommandFailure(EXIT.usage, 'credential_not_found', message);
}

function fixed({ kind, key, place, fields }: Wanted, field: string, from: unknown): CommandFailure {
  const message = `${place}: ${kind} ${key}: ${field} cannot change from "${String(from)}" to "${String(fields[field])}"; remove it, apply with --prune, and declare it again.`;
  return usageFailure('declaration_fixed_field', message);
}
