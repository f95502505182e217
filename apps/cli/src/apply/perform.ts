import { resolve } from 'node:path';
import { CommandFailure, EXIT, usageFailure } from '../failure.js';
import { answerOf, type RepotideClient, type Schemas } from '../service/client.js';
import { readTokenFile } from '../service/profiles.js';
import { type Change } from './plan.js';
import { type Kind, type Wanted } from './wanted.js';

type Body = Record<string, unknown>;
type Create = (client: RepotideClient, body: Body) => Promise<{ id: string }>;
type Update = (client: RepotideClient, id: string, body: Body) => Promise<unknown>;

const at = (id: string) => ({ params: { path: { id } } });

// The schema of the files has checked the names of the fields, and the service checks their values.
const CREATE: Readonly<Record<Kind, Create>> = {
  credential: (client, body) =>
    answerOf(client.POST('/api/v1/credentials', { body: body as Schemas['CreateCredentialDto'] })),
  repository: (client, body) => answerOf(client.POST('/api/v1/repositories', { body })),
  schedule: (client, body) =>
    answerOf(client.POST('/api/v1/schedules', { body: body as Schemas['CreateScheduleDto'] })),
  discovery: (client, body) => answerOf(client.POST('/api/v1/discoveries', { body })),
};
const UPDATE: Readonly<Record<Exclude<Kind, 'credential'>, Update>> = {
  repository: (client, id, body) => answerOf(client.PATCH('/api/v1/repositories/{id}', { ...at(id), body })),
  schedule: (client, id, body) => answerOf(client.PATCH('/api/v1/schedules/{id}', { ...at(id), body })),
  discovery: (client, id, body) => answerOf(client.PATCH('/api/v1/discoveries/{id}', { ...at(id), body })),
};
const PATHS = {
  credential: '/api/v1/credentials/{id}',
  repository: '/api/v1/repositories/{id}',
  schedule: '/api/v1/schedules/{id}',
  discovery: '/api/v1/discoveries/{id}',
} as const;

/** Ids by kind and key, of what exists and of what was created so far. */
export class KnownIds {
  private readonly ids = new Map<string, string>();

  set(kind: Kind, key: string, id: string): void {
    this.ids.set(`${kind} ${key}`, id);
  }

  /** @throws CommandFailure when it could not be created. */
  get(kind: Kind, key: string): string {
    const id = this.ids.get(`${kind} ${key}`);
    if (id !== undefined) return id;
    throw new CommandFailure(EXIT.failed, 'parent_missing', `The ${kind} ${key} could not be created.`);
  }

  find(kind: Kind, key: string): string | undefined {
    return this.ids.get(`${kind} ${key}`);
  }
}

/** Makes one change. @throws CommandFailure with what the service says. */
export async function perform(client: RepotideClient, change: Change, ids: KnownIds): Promise<void> {
  const { action, kind, key, id, wanted } = change;
  if (action === 'create' && wanted) {
    ids.set(kind, key, (await CREATE[kind](client, await bodyOf(wanted, ids))).id);
  } else if (action === 'update' && id !== null && kind !== 'credential') {
    const body = Object.fromEntries(change.fields.map(({ field, to }) => [field, to ?? null]));
    if (wanted) Object.assign(body, credentialOf(wanted, ids, body));
    await UPDATE[kind](client, id, body);
  } else if (action === 'delete' && id !== null) {
    const { error, response } = await client.DELETE(PATHS[kind], at(id));
    // Deleting a repository deletes its schedules.
    if (error !== undefined && response.status !== 404) await answerOf(Promise.resolve({ error, response }));
  }
}

async function bodyOf(wanted: Wanted, ids: KnownIds): Promise<Body> {
  const own = Object.entries(wanted.fields).filter(([name]) => name !== 'credential');
  return {
    ...Object.fromEntries(own),
    ...credentialOf(wanted, ids, wanted.fields),
    ...(wanted.parent !== undefined && { repository_id: ids.get('repository', wanted.parent) }),
    ...(wanted.secret && (await secretOf(wanted.secret, wanted.place))),
  };
}

/** The id of a credential by its name, where the fields say something about it. */
function credentialOf({ fields }: Wanted, ids: KnownIds, given: Body): Body {
  const name = fields['credential'] as string | null | undefined;
  if (name === undefined || !('credential' in given || 'credential_id' in given)) return {};
  return { credential_id: name === null ? null : ids.get('credential', name) };
}

async function secretOf({ source, folder }: NonNullable<Wanted['secret']>, place: string): Promise<Body> {
  const { token_env: variable, token_file: file, username } = source;
  const token =
    variable === undefined ? await readTokenFile(resolve(folder, file ?? '')) : process.env[variable];
  if (!token)
    throw usageFailure('secret_missing', `${place}: the environment variable ${variable} is not set.`);
  return { token, ...(username !== undefined && { username }) };
}
