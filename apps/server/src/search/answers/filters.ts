import { languageNamed } from '@core/chunking';
import { compileGlob } from '@core/domain';
import { type RepositoryHit } from '../repository-hit.js';
import { type SearchRequest } from '../search.service.js';
import { type ContentKind, kindOf } from './content-kind.js';

/** Filters of single hits. */
export interface HitFilters {
  pathPrefix?: string;
  /** Git's wildcards on the whole path. */
  pathGlob?: string;
  /** Any usual names. */
  language?: string;
  languages?: readonly string[];
  kinds?: readonly ContentKind[];
}

/** What the vector store can decide; the rest is decided by {@link matcherOf}. */
export function storeFilters(filters: HitFilters): Pick<SearchRequest, 'pathPrefix' | 'language'> {
  const [language, ...others] = languagesOf(filters) ?? [];
  const pathPrefix = filters.pathPrefix ?? folderOf(filters.pathGlob);
  return { pathPrefix, language: others.length === 0 ? language : undefined };
}

/** @throws invalid `glob_invalid`. */
export function matcherOf(filters: HitFilters): (hit: Pick<RepositoryHit, 'payload'>) => boolean {
  const isPath = filters.pathGlob === undefined ? null : compileGlob(filters.pathGlob, 'path_glob');
  const languages = languagesOf(filters);
  const { kinds } = filters;
  return ({ payload: { path, language } }) =>
    (!isPath || isPath(path)) &&
    (!languages || (language !== null && languages.includes(language))) &&
    (!kinds || kinds.includes(kindOf(path, language)));
}

function languagesOf({ language, languages }: HitFilters): string[] | null {
  const given = [language ?? [], languages ?? []].flat();
  return given.length === 0 ? null : [...new Set(given.map(languageNamed))];
}

/** The folders before the first wildcard of a glob. */
function folderOf(glob: string | undefined): string | undefined {
  const folders = glob?.split('/').slice(0, -1) ?? [];
  const first = folders.findIndex((folder) => /[*?[\]{}\\]/.test(folder));
  const fixed = first < 0 ? folders : folders.slice(0, first);
  return fixed.length > 0 ? fixed.join('/') : undefined;
}
