import { Injectable } from '@nestjs/common';
import {
  allItems,
  type Embedder,
  Embedders,
  GenerationStore,
  type IndexGeneration,
  type PointPayload,
  type Repository,
  RepositoryStore,
  type SearchFilter,
  type SearchHit,
  type SearchLane,
  VectorStore,
  type VisibleRepositories,
} from '@core/domain';
import { type FusedScore, fusedScores, queryOf } from '@core/search';
import { type ExactFindings, type ExactQuery, exactSearch } from './exact/exact-search.js';
import { QueryVectors } from './query-vectors.js';
import { chooseReadable, type Readable, readableOf } from './readable.js';
import {
  bestFirst,
  oneVersionPerFile,
  projectOf,
  type RepositoryHit,
  withoutDuplicates,
} from './repository-hit.js';

export interface SearchRequest {
  query: string;
  /** Default: hybrid. */
  mode?: SearchLane;
  /** Absent: all. Unknown ids find nothing. */
  repositoryIds?: readonly string[];
  /** The repositories of the caller's scope. Absent or null: all. */
  visible?: VisibleRepositories;
  /** A folder or a file path. */
  pathPrefix?: string;
  language?: string;
  /** Searches this generation alone, also one that is being built. Not with `exact`. */
  generation?: IndexGeneration;
  /** What to look for literally; decides instead of the query and its mode. */
  exact?: ExactQuery;
  /** Includes equal chunks at the same path in other branches of the same project. */
  allBranches?: boolean;
  /** 1..100 */
  limit: number;
}

type ScoredHit = SearchHit & FusedScore;

export interface SearchFindings {
  hits: RepositoryHit[];
  /** False: an exact search ended at a limit, and more may match. */
  isComplete: boolean;
}

/** The largest limit that the vector store's port allows. */
const MAX_DEPTH = 100;

/** More than any installation has, so that one query is enough. Each further page would need another count. */
const REPOSITORY_PAGE = 10_000;

/** Searches the index. */
@Injectable()
export class SearchService {
  private readonly queryVectors = new QueryVectors();

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
  async search(request: SearchRequest, signal: AbortSignal): Promise<SearchFindings> {
    const selected = await this.selectedRepositories(request);
    if (selected.length === 0) return { hits: [], isComplete: true };
    const { hits: found, isComplete } = request.exact
      ? await this.exact({ ...request, exact: request.exact }, selected, signal)
      : { hits: await this.ranked(request, selected, signal), isComplete: true };
    const byId = new Map(selected.map((repository) => [repository.id, repository]));
    const hits = found
      .flatMap((hit) => {
        const repository = byId.get(hit.payload.repository_id);
        return repository ? [{ ...hit, repository }] : [];
      })
      .sort(bestFirst);
    return {
      hits: (request.allBranches ? hits : withoutDuplicates(hits)).slice(0, request.limit),
      isComplete,
    };
  }

  private async exact(
    request: SearchRequest & { exact: ExactQuery },
    selected: readonly Repository[],
    signal: AbortSignal,
  ): Promise<ExactFindings> {
    const members = byCollection(selected);
    const readable = chooseReadable(await this.generations.list([...members.keys()]), this.embedders);
    const isOfAll = !request.repositoryIds && (request.visible ?? null) === null;
    const scopes = readable.map(({ generation: { collectionName, physicalName } }) => {
      const repositoryIds = isOfAll ? undefined : (members.get(collectionName)?.map(({ id }) => id) ?? []);
      return { collection: physicalName, filter: { ...filterOf(request), repositoryIds } };
    });
    const known = new Set(selected.map(({ id }) => id));
    const { pattern, accepts } = request.exact;
    const isWanted = (payload: PointPayload) => known.has(payload.repository_id) && accepts(payload);
    const found = await exactSearch(this.vectors, scopes, { pattern, accepts: isWanted }, signal);
    return { ...found, hits: oneVersionPerFile(found.hits) };
  }

  private async ranked(
    request: SearchRequest,
    selected: readonly Repository[],
    signal: AbortSignal,
  ): Promise<ScoredHit[]> {
    const { mode: lane = 'hybrid' } = request;
    const { terms } = queryOf(request.query);
    // A fixed number of candidates keeps the order of a hybrid search independent of the limit.
    const depth = lane === 'hybrid' ? MAX_DEPTH : depthOf(request, selected);
    const members = byCollection(selected);
    const readable = request.generation
      ? [readableOf(request.generation, this.embedders)]
      : chooseReadable(await this.generations.list([...members.keys()]), this.embedders);
    const vectors = lane === 'lexical' ? null : await this.vectorsOf(request.query, readable, signal);
    const found = await Promise.all(
      readable.map(async ({ generation: { collectionName, physicalName }, embedder }) => {
        const vector = vectors?.get(embedder);
        const lanes = { lane, terms, limit: depth, vector };
        const query: Query = (filter) => this.vectors.search(physicalName, { ...lanes, filter }, signal);
        return searchMembers(query, request, members.get(collectionName) ?? []);
      }),
    );
    const candidates = oneVersionPerFile(found.flat());
    const scores =
      lane === 'hybrid'
        ? fusedScores(request.query, candidates, embedderOf(readable))
        : candidates.map(({ scores }) => ({ score: scores[lane]!, names: null }));
    return candidates.map((hit, index) => ({ ...hit, ...scores[index]! }));
  }

  /** Embeds the query once for each model. */
  private async vectorsOf(
    query: string,
    readable: readonly Readable[],
    signal: AbortSignal,
  ): Promise<Map<Embedder, Float32Array>> {
    const embedders = [...new Set(readable.map(({ embedder }) => embedder))];
    const vectors = embedders.map((embedder) => this.queryVectors.vectorOf(embedder, query, signal));
    const made = await Promise.all(vectors);
    return new Map(embedders.map((embedder, index) => [embedder, made[index]!]));
  }

  private async selectedRepositories({
    repositoryIds: ids,
    visible = null,
  }: SearchRequest): Promise<Repository[]> {
    return allItems((page) => this.repositories.list({ ids, visible }, page), REPOSITORY_PAGE);
  }
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
  if (!request.repositoryIds && (request.visible ?? null) === null) {
    const known = new Set(ids);
    const hits = await query(filter);
    if (hits.every(({ payload }) => known.has(payload.repository_id))) return hits;
  }
  return query({ ...filter, repositoryIds: ids });
}

function filterOf({ pathPrefix, language }: SearchRequest): SearchFilter {
  return { pathPrefix: pathPrefix?.replace(/^(\.?\/)+|\/+$/g, ''), language };
}

/** Vectors that were made without a server are those of the built-in embedder. */
function embedderOf(readable: readonly Readable[]): 'trained' | 'built-in' {
  return readable.every(({ generation }) => generation.modelServer === null) ? 'built-in' : 'trained';
}

/** Enough hits to fill the limit even if every chunk is found in all branches of its project. */
function depthOf({ limit, allBranches }: SearchRequest, selected: readonly Repository[]): number {
  if (allBranches) return limit;
  const branches = new Map<string, number>();
  for (const repository of selected)
    branches.set(projectOf(repository), (branches.get(projectOf(repository)) ?? 0) + 1);
  return Math.min(MAX_DEPTH, limit * Math.max(...branches.values()));
}
