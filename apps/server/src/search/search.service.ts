import { Injectable } from '@nestjs/common';
import {
  allItems,
  RepotideError,
  type Embedder,
  Embedders,
  GenerationStore,
  type Repository,
  RepositoryStore,
  type SearchFilter,
  type SearchHit,
  VectorStore,
} from '@core/domain';
import { oneVersionPerFile } from './one-version-per-file.js';
import { chooseReadable, type Readable } from './readable.js';

export interface SearchRequest {
  query: string;
  /** Absent: all. Unknown ids find nothing. */
  repositoryIds?: readonly string[];
  /** A folder or a file path. */
  pathPrefix?: string;
  language?: string;
  /** Includes equal chunks at the same path in other branches of the same project. */
  allBranches?: boolean;
  /** 1..100 */
  limit: number;
}

/** A hit with the repository's current row; its points may still hold an older project path. */
export interface RepositoryHit extends SearchHit {
  repository: Repository;
}

/** The largest limit that the vector store's port allows. */
const MAX_DEPTH = 100;

/** More than any installation has, so that one query is enough. Each further page would need another count. */
const REPOSITORY_PAGE = 10_000;

/** Searches the index. */
@Injectable()
export class SearchService {
  constructor(
    private readonly repositories: RepositoryStore,
    private readonly embedders: Embedders,
    private readonly generations: GenerationStore,
    private readonly vectors: VectorStore,
  ) {}

  /**
   * Best first; never from a deleted repository, never with two models in one collection.
   * @throws `embedding_model_unavailable`, and errors of the embedder and the vector store.
   */
  async search(request: SearchRequest, signal: AbortSignal): Promise<RepositoryHit[]> {
    const selected = await this.selectedRepositories(request.repositoryIds);
    if (selected.length === 0) return [];
    const depth = request.allBranches ? request.limit : depthOf(request.limit, selected);
    const members = byCollection(selected);
    const readable = chooseReadable(await this.generations.list([...members.keys()]), this.embedders);
    const vectors = await this.vectorsOf(request.query, readable, signal);
    const found = await Promise.all(
      readable.map(async ({ generation: { collectionName, physicalName }, embedder }) => {
        const vector = vectors.get(embedder)!;
        const query: Query = (filter) => this.vectors.search(physicalName, vector, depth, filter, signal);
        return searchMembers(query, request, members.get(collectionName) ?? []);
      }),
    );
    const byId = new Map(selected.map((repository) => [repository.id, repository]));
    const hits = oneVersionPerFile(found.flat())
      .flatMap((hit) => {
        const repository = byId.get(hit.payload.repository_id);
        return repository ? [{ ...hit, repository }] : [];
      })
      .sort(bestFirst);
    return (request.allBranches ? hits : withoutDuplicates(hits)).slice(0, request.limit);
  }

  /** Embeds the query once for each model. */
  private async vectorsOf(
    query: string,
    readable: readonly Readable[],
    signal: AbortSignal,
  ): Promise<Map<Embedder, Float32Array>> {
    const embedders = [...new Set(readable.map(({ embedder }) => embedder))];
    const made = embedders.map(async (embedder) => {
      const [vector] = await embedder.embed([query], 'query', signal);
      if (vector instanceof Float32Array) return [embedder, vector] as const;
      throw vector ?? new RepotideError('internal', 'internal_error', 'The embedder returned no vector.');
    });
    return new Map(await Promise.all(made));
  }

  private async selectedRepositories(ids: readonly string[] | undefined): Promise<Repository[]> {
    if (!ids) return allItems((page) => this.repositories.list({}, page), REPOSITORY_PAGE);
    const found = await Promise.all([...new Set(ids)].map((id) => this.repositories.find(id)));
    return found.filter((repository) => repository !== null);
  }
}

/** A hit as the API and the command line show it; see `SearchHitDto`. */
export function rowOfHit({ score, payload, repository }: RepositoryHit) {
  const { path, start_line: startLine, end_line: endLine, language, commit, text } = payload;
  const { id: repositoryId, projectPath, branch } = repository;
  return { repositoryId, projectPath, branch, path, startLine, endLine, language, commit, score, text };
}

function byCollection(repositories: readonly Repository[]): Map<string, Repository[]> {
  const groups = new Map<string, Repository[]>();
  for (const repository of repositories) {
    const members = groups.get(repository.collectionName);
    if (members) members.push(repository);
    else groups.set(repository.collectionName, [repository]);
  }
  return groups;
}

type Query = (filter: SearchFilter) => Promise<SearchHit[]>;

/**
 * A search of all repositories has no id filter at first, since ten thousand ids cost more than the search. If a deleted
 * repository whose points are not purged yet takes places in the result, it searches again with the ids.
 */
async function searchMembers(
  query: Query,
  request: SearchRequest,
  members: readonly Repository[],
): Promise<SearchHit[]> {
  const filter = filterOf(request);
  const ids = members.map(({ id }) => id);
  if (!request.repositoryIds) {
    const known = new Set(ids);
    const hits = await query(filter);
    if (hits.every(({ payload }) => known.has(payload.repository_id))) return hits;
  }
  return query({ ...filter, repositoryIds: ids });
}

function filterOf(request: SearchRequest): SearchFilter {
  const pathPrefix = request.pathPrefix?.replace(/^(\.?\/)+|\/+$/g, '');
  return {
    ...(pathPrefix && { pathPrefix }),
    ...(request.language !== undefined && { language: request.language }),
  };
}

/** Enough hits to fill the limit even if every chunk is found in all branches of its project. */
function depthOf(limit: number, selected: readonly Repository[]): number {
  const branches = new Map<string, number>();
  for (const repository of selected)
    branches.set(projectOf(repository), (branches.get(projectOf(repository)) ?? 0) + 1);
  return Math.min(MAX_DEPTH, limit * Math.max(...branches.values()));
}

/** Keeps the first of equal chunks at one path in several branches. Keeps equal chunks within one branch. */
function withoutDuplicates(hits: readonly RepositoryHit[]): RepositoryHit[] {
  const shownBy = new Map<string, string>();
  return hits.filter(({ repository, payload }) => {
    const key = [projectOf(repository), payload.path, payload.content_hash].join('\0');
    const shown = shownBy.get(key) ?? repository.id;
    shownBy.set(key, shown);
    return shown === repository.id;
  });
}

function projectOf({ baseUrl, projectId }: Repository): string {
  return `${projectId} ${baseUrl}`;
}

/** By score, then by place, so that the same query always gets the same order. */
function bestFirst(left: RepositoryHit, right: RepositoryHit): number {
  return (
    right.score - left.score ||
    left.repository.projectPath.localeCompare(right.repository.projectPath) ||
    left.payload.path.localeCompare(right.payload.path) ||
    left.payload.start_line - right.payload.start_line ||
    left.repository.branch.localeCompare(right.repository.branch)
  );
}
