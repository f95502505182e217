/**
 * The counters of a run, with their descriptions in the API. They cover one execution with all its attempts. Types, SQL
 * columns and API fields are derived from this table, the latter two in snake_case.
 */
export const RUN_COUNTERS = {
  filesProcessed: 'Changed files that the run processed: added, modified, renamed and deleted.',
  filesAdded: 'New files.',
  filesModified: 'Files whose content changed.',
  filesRenamed: 'Files whose content moved to another path.',
  filesDeleted: 'Files that were removed.',
  filesSkipped: 'Processed files that a rule excludes from the index: binary, too large, ignored and so on.',
  filesFailed: 'Files that failed; the next run retries them.',
  chunksUpserted: 'Points stored.',
  chunksDeleted: 'Points removed.',
  embeddingsRequested: 'Texts sent to the embedder.',
  embeddingTokens: 'Estimated tokens of those texts, at 3 characters per token. Budgets count these.',
  embeddingsReused: 'Vectors taken from the cache, or copied from points with the same content.',
  sourceRequests: 'HTTP requests to the code host, including retries.',
  sourceRetries: 'Requests to the code host that repeated a failed one.',
  bytesFetched: 'Bytes fetched from the code host.',
  rateLimitedSeconds:
    'Whole seconds that requests waited for the limits of a code host or an embedding server.',
} as const;

export type RunCounter = keyof typeof RUN_COUNTERS;
export type RunCounters = Record<RunCounter, number>;

export const RUN_COUNTER_NAMES = Object.keys(RUN_COUNTERS) as readonly RunCounter[];

export function zeroCounters(): RunCounters {
  return countersFrom(() => 0);
}

/** The counters alone, copied from an object that has more properties. */
export function countersOf(source: RunCounters): RunCounters {
  return countersFrom((name) => source[name]);
}

/** Changes `counters`. */
export function addCounters(counters: RunCounters, more: Partial<RunCounters>): RunCounters {
  for (const name of RUN_COUNTER_NAMES) counters[name] += more[name] ?? 0;
  return counters;
}

function countersFrom(valueOf: (name: RunCounter) => number): RunCounters {
  return Object.fromEntries(RUN_COUNTER_NAMES.map((name) => [name, valueOf(name)])) as RunCounters;
}
