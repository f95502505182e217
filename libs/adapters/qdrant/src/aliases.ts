import { RepotideError } from '@core/domain';
import { type QdrantCaller } from './caller.js';
import { incarnationOf, isRefusal, listCollections } from './collection.js';
import { unlessMissing } from './errors.js';

/**
 * Lets the alias point to the collection; repeating costs one request. Qdrant applies the actions of a request one after
 * the other and keeps those before a refused one. So only one action is sent: `create_alias` checks the collection
 * first and then replaces an alias that exists. The alias never points to nothing.
 * @throws conflict `alias_is_collection`.
 */
export async function pointAlias(
  caller: QdrantCaller,
  alias: string,
  collection: string,
  signal: AbortSignal,
): Promise<void> {
  // The index is in a collection that was made beforehand under this name.
  if (alias === collection) return;
  await caller.permissions.optional('change_aliases', moveAlias(caller, alias, collection, signal), null);
}

async function moveAlias(
  caller: QdrantCaller,
  alias: string,
  collection: string,
  signal: AbortSignal,
): Promise<void> {
  const { aliases } = await caller.result((api, init) => api.getCollectionsAliases({}, init), signal);
  const found = aliases.find(({ alias_name: name }) => name === alias);
  if (found?.collection_name === collection) return;
  const actions = [{ create_alias: { alias_name: alias, collection_name: collection } }];
  try {
    const changed = caller.result((api, init) => api.updateAliases({ actions }, init), signal);
    await unlessMissing(changed, true);
  } catch (error) {
    if (!isRefusal(error) || !(await isCollection(caller, alias, signal))) throw error;
    // A former index, made beforehand, keeps the name until it is dropped.
    if ((await incarnationOf(caller, alias, signal)) === null) throw taken(alias);
  }
}

async function isCollection(caller: QdrantCaller, name: string, signal: AbortSignal): Promise<boolean> {
  return (await listCollections(caller, signal))?.includes(name) ?? true;
}

function taken(alias: string): RepotideError {
  return new RepotideError(
    'conflict',
    'alias_is_collection',
    `Qdrant has a collection named "${alias}", so the name cannot become the alias of an index. Repotide makes its ` +
      `own collections, such as "${alias}--1a2b3c4d". Delete the found collection if nothing uses it, or register ` +
      'with another collection_name.',
    { details: { collection: alias } },
  );
}
