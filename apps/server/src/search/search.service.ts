import { Injectable } from '@nestjs/common';
import {
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
import { type SearchHitDto } from './search.schema.js';
import { chooseReadable, type Readable } from './readable.js';

export interface SearchRequest {
  query: string;
  /** Absent: all. Ids that name no repository find nothing. */
  repositoryIds?: readonly string[];
  /** A folder or a file path. */
  pathPrefix?: string;
  language?: string;
  /** Also what another branch of the same project has word for word at the same path. */
  allBranches?: boolean;
  /** 1..100 */
  limit: number;
}

/** A hit with the repository as it is called now; its points may still carry an older name. */
export interface RepositoryHit extends SearchHit {
  repository: Repository;
}

// The most that every vector store must support.
const DEEPEST = 100;

/** As many as an installation has, so that a search asks once: a page behind another costs a count and misses what moved. */
const REPOSITORY_PAGE = 10_000;

/** Answers questions from the index. */
@Injectable()
export class SearchService {
  constructor(
    private readonly repositories: RepositoryStore,
    private readonly embedders: Embedders,
    private readonly generations: GenerationStore,
    private readonly vectors: VectorStore,
  ) {}

  /**
   * Best first; never from a deleted repository, never two models in one collection.
   * @throws `embedding_model_unavailable`, and what the embedder and the vector store throw.
   */
  async search(request: SearchRequest, signal: AbortSignal): Promise<RepositoryHit[]> {
    const asked = await this.askedRepositories(request.repositoryIds);
    if (asked.length === 0) return [];
    const depth = request.allBranches ? request.limit : depthOf(request.limit, asked);
    const members = byCollection(asked);
    const readable = chooseReadable(await this.generations.list([...members.keys()]), this.embedders);
    const vectors = await this.vectorsOf(request.query, readable, signal);
    const found = await Promise.all(
      readable.map(async ({ generation: { collectionName, physicalName }, embedder }) => {
        const vector = vectors.get(embedder)!;
        const ask: Ask = (filter) => this.vectors.search(physicalName, vector, depth, filter, signal);
        return searchMembers(ask, request, members.get(collectionName) ?? []);
      }),
    );
    const byId = new Map(asked.map((repository) => [repository.id, repository]));
    const hits = oneVersionPerFile(found.flat())
      .flatMap((hit) => {
        const repository = byId.get(hit.payload.repository_id);
        return repository ? [{ ...hit, repository }] : [];
      })
      .sort(bestFirst);
    return (request.allBranches ? hits : withoutDoubles(hits)).slice(0, request.limit);
  }

  /** Once for each model. */
  private async vectorsOf(
    query: string,
    readable: readonly Readable[],
    signal: AbortSignal,
  ): Promise<Map<Embedder, Float32Array>> {
    const embedders = [...new Set(readable.map(({ embedder }) => embedder))];
    const made = embedders.map(async (embedder) => {
      const [vector] = await embedder.embed([query], 'query', signal);
      if (vector) return [embedder, vector] as const;
      throw new RepotideError('internal', 'embedding_answer_invalid', 'The embedder answered no vector.');
    });
    return new Map(await Promise.all(made));
  }

  private async askedRepositories(ids: readonly string[] | undefined): Promise<Repository[]> {
    if (!ids) return this.allRepositories();
    const found = await Promise.all([...new Set(ids)].map((id) => this.repositories.find(id)));
    return found.filter((repository) => repository !== null);
  }

  private async allRepositories(): Promise<Repository[]> {
    const all: Repository[] = [];
    for (;;) {
      const page = await this.repositories.list({}, { limit: REPOSITORY_PAGE, offset: all.length });
      all.push(...page.items);
      if (page.items.length < REPOSITORY_PAGE) return all;
    }
  }
}

/** A hit as the API and the command line show it. */
export function showHit({ score, payload, repository }: RepositoryHit): SearchHitDto {
  const { path, start_line, end_line, language, commit, text } = payload;
  const { id: repository_id, projectPath: project_path, branch } = repository;
  return { repository_id, project_path, branch, path, start_line, end_line, language, commit, score, text };
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

type Ask = (filter: SearchFilter) => Promise<SearchHit[]>;

/**
 * Where all repositories are wanted none is named: a filter of ten thousand ids costs more than the search. One that is
 * deleted and not purged yet could then take the places of others; only when it does the members are named.
 */
async function searchMembers(
  ask: Ask,
  request: SearchRequest,
  members: readonly Repository[],
): Promise<SearchHit[]> {
  const filter = filterOf(request);
  const ids = members.map(({ id }) => id);
  if (!request.repositoryIds) {
    const known = new Set(ids);
    const hits = await ask(filter);
    if (hits.every(({ payload }) => known.has(payload.repository_id))) return hits;
  }
  return ask({ ...filter, repositoryIds: ids });
}

function filterOf(request: SearchRequest): SearchFilter {
  const pathPrefix = request.pathPrefix?.replace(/^(\.?\/)+|\/+$/g, '');
  return {
    ...(pathPrefix && { pathPrefix }),
    ...(request.language !== undefined && { language: request.language }),
  };
}

/** So many hits that as many as asked for are left when each comes from all branches of its project. */
function depthOf(limit: number, asked: readonly Repository[]): number {
  const branches = new Map<string, number>();
  for (const repository of asked)
    branches.set(projectOf(repository), (branches.get(projectOf(repository)) ?? 0) + 1);
  return Math.min(DEEPEST, limit * Math.max(...branches.values()));
}

/** Of equal chunks at one path in several branches the first; what one branch holds twice stays. */
function withoutDoubles(hits: readonly RepositoryHit[]): RepositoryHit[] {
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

/** By score, and by place where scores are equal, so that the same question gets the same answer. */
function bestFirst(left: RepositoryHit, right: RepositoryHit): number {
  return (
    right.score - left.score ||
    left.repository.projectPath.localeCompare(right.repository.projectPath) ||
    left.payload.path.localeCompare(right.payload.path) ||
    left.payload.start_line - right.payload.start_line ||
    left.repository.branch.localeCompare(right.repository.branch)
  );
}
