import { CommandFailure, EXIT } from '../failure.js';
import { answerOf, type RepotideClient } from './client.js';
import { allPages } from './repositories.js';

/** @returns the id of the credential with this name or id; null for `none`: the token of the service. */
export async function findCredential(client: RepotideClient, name: string): Promise<string | null> {
  if (name === 'none') return null;
  const all = await allPages((query) => answerOf(client.GET('/api/v1/credentials', { params: { query } })));
  const found = all.filter((each) => each.id === name || each.name === name);
  if (found.length === 1 && found[0]) return found[0].id;
  const known = all.map((each) => each.name).join(', ') || 'none';
  const message =
    found.length === 0
      ? `There is no credential "${name}"; the service has: ${known}.`
      : `${found.length} credentials are named "${name}"; give the id.`;
  throw new CommandFailure(EXIT.failed, 'credential_not_found', message);
}
