import { createHash } from 'node:crypto';
import { usageFailure } from '../failure.js';
import { type Declaration, type Placed } from './read-files.js';
import { type DeclaredCredential, type DeclaredRepository } from './schema.js';

export type Kind = 'credential' | 'repository' | 'schedule' | 'discovery';

/** A resource that the files want, with the fields under their names of the API. */
export interface Wanted {
  kind: Kind;
  /** Unique within its kind; by it the next application finds the resource. */
  key: string;
  place: string;
  fields: Readonly<Record<string, unknown>>;
  /** Where the secret of a credential is. */
  secret?: { source: DeclaredCredential; folder: string };
  /** The key of the repository of a schedule. */
  parent?: string;
}

/** Sorted by the order in which they are created. @throws CommandFailure for two with the same name. */
export function wantedOf(declaration: Declaration): Wanted[] {
  const wanted = [
    ...declaration.credentials.map(credentialOf),
    ...declaration.repositories.flatMap(repositoryOf),
    ...declaration.discoveries.map(({ fields, place }): Wanted => ({
      kind: 'discovery',
      key: fields.name,
      place,
      fields,
    })),
  ];
  const places = new Map<string, string>();
  for (const { kind, key, place } of wanted) {
    const name = `${kind} ${key}`;
    const other = places.get(name);
    if (other !== undefined)
      throw usageFailure('declared_twice', `${place}: the ${name} is declared at ${other} too.`);
    places.set(name, place);
  }
  return wanted;
}

function credentialOf({ fields, place, folder }: Placed<DeclaredCredential>): Wanted {
  const { name, base_url: host } = fields;
  const shown = { name, ...(host !== undefined && { base_url: host }) };
  return { kind: 'credential', key: name, place, fields: shown, secret: { source: fields, folder } };
}

/** The repository, and its schedules by their position, so that a changed expression changes a schedule. */
function repositoryOf({ fields, place }: Placed<DeclaredRepository>): Wanted[] {
  const { schedules = [], ...settings } = fields;
  const key = keyOf(settings);
  return [
    { kind: 'repository', key, place, fields: settings },
    ...schedules.map((schedule, index): Wanted => ({
      kind: 'schedule',
      key: `${key}#${index + 1}`,
      place,
      fields: schedule,
      parent: key,
    })),
  ];
}

function keyOf({ project_path: path, git_url: url, base_url: host, branch }: DeclaredRepository): string {
  const project = path === undefined || host === undefined ? (path ?? url) : `${host}/${path}`;
  return branch === undefined ? String(project) : `${project}@${branch}`;
}

/** Tells whether the files changed since a resource was applied. */
export function digestOf({ fields }: Pick<Wanted, 'fields'>): string {
  const sorted = Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
