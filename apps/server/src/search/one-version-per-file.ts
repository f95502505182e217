import { type SearchHit } from '@core/domain';

/**
 * Keeps the newest version of each file. While a file is replaced, its new points are stored before the former ones are
 * deleted, so that a search can find both.
 */
export function oneVersionPerFile<Hit extends SearchHit>(hits: readonly Hit[]): Hit[] {
  const latest = new Map<string, SearchHit['payload']>();
  for (const { payload } of hits) {
    const found = latest.get(fileOf(payload));
    if (!found || payload.fence > found.fence) latest.set(fileOf(payload), payload);
  }
  return hits.filter(({ payload }) => latest.get(fileOf(payload))?.file_version === payload.file_version);
}

function fileOf({ repository_id: repositoryId, path }: SearchHit['payload']): string {
  return `${repositoryId}\0${path}`;
}
