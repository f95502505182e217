import { RepotideError } from '@core/domain';

/** What was asked for, or `empty` when the collection does not exist. */
export async function unlessMissing<T>(asked: Promise<T>, empty: T): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RepotideError && error.code === 'collection_missing') return empty;
    throw error;
  }
}
