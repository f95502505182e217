import { RepotideError } from '@core/domain';

/** The collection of repositories without an explicit one. */
export const DEFAULT_COLLECTION = 'repotide';

/** Safe in URLs, and in file names, because Qdrant uses it as a folder name. */
export const COLLECTION_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** @throws invalid `collection_name_invalid`. */
export function assertCollectionName(name: string): void {
  if (COLLECTION_NAME.test(name)) return;
  const message = `"${name}" cannot name a collection; expected 1 to 128 letters, digits, "_", "-" or ".", a letter or digit first.`;
  throw new RepotideError('invalid', 'collection_name_invalid', message, {
    details: { field: 'collection_name', found: name },
  });
}
