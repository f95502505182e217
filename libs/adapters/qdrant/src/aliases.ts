import { RepotideError } from '@core/domain';
import { type QdrantCaller } from './caller.js';
import { unlessMissing } from './missing.js';

/**
 * Asks first, so that repeating costs one request. All actions of one request take effect together: nobody who asks by
 * the alias finds nothing, or two collections, in between.
 * @throws conflict `alias_is_collection`.
 */
export async function pointAlias(
  caller: QdrantCaller,
  alias: string,
  collection: string,
  signal: AbortSignal,
): Promise<void> {
  const { aliases } = await caller.result((api, init) => api.getCollectionsAliases({}, init), signal);
  const found = aliases.find(({ alias_name: name }) => name === alias);
  if (found?.collection_name === collection) return;
  const actions = [
    ...(found ? [{ delete_alias: { alias_name: alias } }] : []),
    { create_alias: { alias_name: alias, collection_name: collection } },
  ];
  try {
    const changed = caller.result((api, init) => api.updateAliases({ actions }, init), signal);
    await unlessMissing(changed, true);
  } catch (error) {
    if (isRefusal(error) && (await isCollection(caller, alias, signal))) throw taken(alias, collection);
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof RepotideError && [400, 409].includes(Number(error.details['status']));
}

async function isCollection(caller: QdrantCaller, name: string, signal: AbortSignal): Promise<boolean> {
  const { collections } = await caller.result((api, init) => api.getCollections({}, init), signal);
  return collections.some((collection) => collection.name === name);
}

function taken(alias: string, collection: string): RepotideError {
  return new RepotideError(
    'conflict',
    'alias_is_collection',
    `Qdrant has a collection of its own named "${alias}"; this name must be free to become an alias of ` +
      `"${collection}". Delete that collection if an earlier version of Repotide made it, or register the ` +
      'repositories anew with another collection_name.',
    { details: { alias, collection } },
  );
}
