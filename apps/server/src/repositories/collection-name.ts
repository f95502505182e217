/** The collection of repositories that name none. */
export const DEFAULT_COLLECTION = 'repotide';

/** Safe in URLs and file names, which Qdrant makes of it. */
export const COLLECTION_NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;
