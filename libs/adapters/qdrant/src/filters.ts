import { type Schemas } from '@qdrant/js-client-rest';
import { groupsOf, type FileRef, type PointPayload, type SearchFilter } from '@core/domain';

export type QdrantFilter = Schemas['Filter'];
type Condition = Schemas['Condition'];

/** Matches an equal value; a field with several values matches when one of them is equal. */
function equals(key: keyof PointPayload, value: string | number): Condition {
  return { key, match: { value } };
}

export function ofRepository(repositoryId: string): QdrantFilter {
  return { must: [equals('repository_id', repositoryId)] };
}

/** @param valuesPerCondition strict mode may limit it (`condition_max_size`). */
export function ofOtherRepositories(known: readonly string[], valuesPerCondition: number): QdrantFilter {
  const groups = [...groupsOf(known, valuesPerCondition)];
  return { must_not: groups.map((any) => ({ key: 'repository_id', match: { any } })) };
}

export function withFence(repositoryId: string, fence: number): QdrantFilter {
  return { must: [equals('repository_id', repositoryId), equals('fence', fence)] };
}

export function ofFileVersion({ repositoryId, path }: FileRef, fileVersion: string): QdrantFilter {
  const inFile = [equals('repository_id', repositoryId), equals('path', path)];
  return { must: [...inFile, equals('file_version', fileVersion)] };
}

/** All points of the files, except those of each file's `keepVersion`. */
export function ofFilesExcept(
  repositoryId: string,
  files: readonly { path: string; keepVersion?: string }[],
): QdrantFilter {
  const whole = files.filter((file) => file.keepVersion === undefined).map((file) => file.path);
  const should: Condition[] = whole.length === 0 ? [] : [{ key: 'path', match: { any: whole } }];
  for (const { path, keepVersion } of files) {
    if (keepVersion === undefined) continue;
    should.push({ must: [equals('path', path)], must_not: [equals('file_version', keepVersion)] });
  }
  return { must: [equals('repository_id', repositoryId), { should }] };
}

/** Null when nothing restricts the search: an empty filter is never sent. */
export function ofSearch(filter: SearchFilter): QdrantFilter | null {
  const must: Condition[] = [];
  if (filter.repositoryIds !== undefined && filter.repositoryIds.length > 0) {
    must.push({ key: 'repository_id', match: { any: [...filter.repositoryIds] } });
  }
  const prefix = filter.pathPrefix?.replace(/^\/+|\/+$/g, '') ?? '';
  if (prefix !== '') must.push({ should: [equals('path', prefix), equals('directories', prefix)] });
  if (filter.language !== undefined) must.push(equals('language', filter.language));
  return must.length === 0 ? null : { must };
}
