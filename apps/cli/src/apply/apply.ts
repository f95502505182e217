import { EXIT } from '../failure.js';
import { printJson } from '../output/tables.js';
import { answerOf, type Session } from '../service/client.js';
import { readLiveState, type LiveState } from './live-state.js';
import { KnownIds, perform } from './perform.js';
import { planOf, type Change, type Plan } from './plan.js';
import { readDeclaration } from './read-files.js';
import { digestOf, wantedOf, type Wanted } from './wanted.js';

export interface ApplyOptions {
  file: string;
  name: string;
  prune?: boolean;
  dryRun?: boolean;
  json?: boolean;
}

interface Outcome {
  plan: Plan;
  /** What the service refused, by change. */
  failures: Map<Change, Error>;
}

/** Makes the service equal the files, or only shows the difference. Applying twice changes nothing the second time. */
export async function apply(session: Session, options: ApplyOptions): Promise<void> {
  const wanted = wantedOf(await readDeclaration(options.file));
  const live = await readLiveState(session.client, options.name);
  const plan = planOf(wanted, live, options.prune ?? false);
  if (options.dryRun) {
    show({ plan, failures: new Map() }, options);
    if (plan.changes.length > 0) process.exitCode = EXIT.drift;
    return;
  }
  const ids = knownIds(plan, live);
  const failures = new Map<Change, Error>();
  for (const change of plan.changes) {
    try {
      await perform(session.client, change, ids);
    } catch (error) {
      // The others do not depend on it, except for its schedules, which then fail too.
      if (session.signal.aborted || !(error instanceof Error)) throw error;
      failures.set(change, error);
    }
  }
  await record(session, options.name, { wanted, plan, live, ids, failures });
  show({ plan, failures }, options);
  if (failures.size > 0) process.exitCode = EXIT.failed;
}

function knownIds({ changes, unchanged }: Plan, live: LiveState): KnownIds {
  const ids = new KnownIds();
  for (const { name, id } of live.credentials) ids.set('credential', name, id);
  for (const { wanted, id } of unchanged) ids.set(wanted.kind, wanted.key, id);
  for (const { kind, key, id } of changes) if (id !== null) ids.set(kind, key, id);
  return ids;
}

interface Applied {
  wanted: readonly Wanted[];
  plan: Plan;
  live: LiveState;
  ids: KnownIds;
  failures: ReadonlyMap<Change, Error>;
}

/** Marks what is declared. A resource whose change failed keeps its former mark, so that it is not taken for drift. */
async function record(
  { client }: Session,
  name: string,
  { wanted, plan, live, ids, failures }: Applied,
): Promise<void> {
  const failed = new Set([...failures.keys()].map(({ kind, key }) => `${kind} ${key}`));
  const deleted = new Set(
    plan.changes.filter(({ action }) => action === 'delete').map(({ kind, key }) => `${kind} ${key}`),
  );
  const marks = wanted.flatMap((each) => {
    const id = ids.find(each.kind, each.key);
    if (id === undefined || failed.has(`${each.kind} ${each.key}`)) return [];
    return [{ kind: each.kind, key: each.key, resource_id: id, digest: digestOf(each) }];
  });
  const isKept = ({ kind, key }: { kind: string; key: string }): boolean =>
    failed.has(`${kind} ${key}`) ||
    (plan.forgotten.some((each) => each.key === key && each.kind === kind) && !deleted.has(`${kind} ${key}`));
  const former = live.former.map(({ kind, key, resource_id, digest }) => ({
    kind,
    key,
    resource_id,
    digest,
  }));
  const resources = [...marks, ...former.filter(isKept)];
  if (isSame(resources, former)) return;
  await answerOf(
    client.PUT('/api/v1/declarations/{name}', { params: { path: { name } }, body: { resources } }),
  );
}

function isSame(one: readonly object[], other: readonly object[]): boolean {
  const sorted = (rows: readonly object[]): string =>
    JSON.stringify(rows.map((row) => JSON.stringify(row)).sort());
  return sorted(one) === sorted(other);
}

function show({ plan, failures }: Outcome, options: ApplyOptions): void {
  const { changes, unchanged, forgotten } = plan;
  if (options.json) return printJson(asJson({ plan, failures }, options));
  for (const change of changes) process.stdout.write(`${lineOf(change, failures.get(change))}\n`);
  if (!options.prune)
    for (const { kind, key } of forgotten)
      process.stdout.write(`? ${kind} ${key}: no longer declared; --prune deletes it\n`);
  const count = (action: Change['action']): number =>
    changes.filter((change) => change.action === action && !failures.has(change)).length;
  const counts = `${count('create')} to create, ${count('update')} to change, ${count('delete')} to delete`;
  const done = counts
    .replaceAll('to create', 'created')
    .replaceAll('to change', 'changed')
    .replaceAll('to delete', 'deleted');
  const rest = `${unchanged.length} unchanged${failures.size > 0 ? `, ${failures.size} failed` : ''}`;
  if (changes.length === 0)
    process.stdout.write(`Nothing to change: ${unchanged.length} resource(s) are as declared.\n`);
  else process.stdout.write(`${options.dryRun ? counts : done}, ${rest}\n`);
}

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

function lineOf({ action, kind, key, fields, isDrift, wanted }: Change, failure: Error | undefined): string {
  const shown = fields.map(
    ({ field, from, to }) => `\n    ${field}: ${JSON.stringify(from)} -> ${JSON.stringify(to ?? null)}`,
  );
  const drift = isDrift
    ? `  (${action === 'create' ? 'deleted' : 'changed'} by hand since it was applied)`
    : '';
  const error = failure ? `\n  ! ${wanted?.place ?? ''}: ${failure.message}` : '';
  return `${SIGNS[action]} ${kind} ${key}${drift}${shown.join('')}${error}`;
}

function asJson({ plan, failures }: Outcome, { dryRun = false, name }: ApplyOptions): object {
  return {
    declaration: name,
    dry_run: dryRun,
    changes: plan.changes.map((change) => ({
      ...{ action: change.action, kind: change.kind, key: change.key, id: change.id },
      ...{ is_drift: change.isDrift, fields: change.fields, place: change.wanted?.place ?? null },
      error: failures.get(change)?.message ?? null,
    })),
    unchanged: plan.unchanged.length,
    forgotten: plan.forgotten.map(({ kind, key }) => ({ kind, key })),
  };
}
