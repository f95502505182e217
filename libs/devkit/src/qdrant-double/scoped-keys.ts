import { QdrantFailure } from './failure.js';

/** A JSON web token of Qdrant for some collections: read (`r`), or read and write (`rw`). */
export interface ScopedKey {
  key: string;
  collections: Readonly<Record<string, 'r' | 'rw'>>;
}

const OF_THE_SERVER = ['create_collection', 'delete_collection', 'update_collection', 'update_aliases'];
const WRITES = [
  'upsert_points',
  'delete_points',
  'update_vectors',
  'create_field_index',
  'create_vector_name',
];
/** They answer with what the key may see. */
const LISTS = ['get_collections', 'get_collections_aliases'];

/** @throws 403 as Qdrant does. */
export function checkAccess({ collections }: ScopedKey, operation: string, collection: string): void {
  if (LISTS.includes(operation)) return;
  if (OF_THE_SERVER.includes(operation))
    throw new QdrantFailure(403, 'Forbidden: Global manage access is required');
  const access = collections[collection];
  if (access === undefined)
    throw new QdrantFailure(403, `Forbidden: Access to collection ${collection} is required`);
  if (access === 'r' && WRITES.includes(operation))
    throw new QdrantFailure(403, `Forbidden: Write access to collection ${collection} is required`);
}

/** What a list shows to the key. */
export function visibleTo<Result>({ collections }: ScopedKey, result: Result): Result {
  const shown = Object.entries(result as Record<string, Record<string, string>[]>).map(([list, items]) => [
    list,
    items.filter((item) => (item['collection_name'] ?? item['name'] ?? '') in collections),
  ]);
  return Object.fromEntries(shown) as Result;
}

export function isList(operation: string): boolean {
  return LISTS.includes(operation);
}
