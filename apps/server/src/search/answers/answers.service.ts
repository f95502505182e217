import { Injectable } from '@nestjs/common';
import {
  type Execution,
  ExecutionStore,
  type PointPayload,
  RepotideError,
  type Repository,
  type SearchLane,
  type VisibleRepositories,
} from '@core/domain';
import { textPattern, type TextPattern } from '@core/search';
import { naming } from '../../http/problem.js';
import { ReadableRepositories } from '../../reading/readable-repositories.js';
import { EXACT_LIMITS } from '../exact/exact-search.js';
import { type RepositoryHit } from '../repository-hit.js';
import { NO_RERANKING, type RerankedHits, type Reranking, RerankingService } from './reranking.service.js';
import { SearchService, type SearchRequest } from '../search.service.js';
import { type Answer, answerOf } from './answer.js';
import { byPlace, cursorAfter, type PageEnd, type Place, placeOf } from './cursor.js';
import { type Facets, facetsOf } from './facets.js';
import { type HitFilters, matcherOf, storeFilters } from './filters.js';
import { type MergedHit, mergeNeighbours } from './merge-hits.js';
import { byPattern, byWords, type Matching } from './matching.js';
import { queryWords } from './query-words.js';

export interface AnswersRequest
  extends Omit<SearchRequest, 'limit' | 'language' | 'mode' | 'exact'>, HitFilters {
  /** Default: hybrid. */
  mode?: SearchLane | 'exact';
  /** The query of mode `exact` is a regular expression of RE2's syntax. */
  regex?: boolean;
  /** Letters of any case match in mode `exact`. */
  ignoreCase?: boolean;
  /** Ids, paths of projects, or `<path>@<branch>`. */
  repositories?: readonly string[];
  /** Projects of this group and its subgroups. */
  group?: string;
  branch?: string;
  /** Only text that a run has read since then. */
  changedSince?: Date;
  minScore?: number;
  /** Undefined: questions only. Without a configured reranker it changes nothing. */
  rerank?: boolean;
  cursor?: string;
  /** 1..100 */
  limit: number;
  /** Lines of a snippet. */
  snippetLines?: number;
}

export interface Answers {
  items: Answer[];
  /** The number of items. */
  total: number;
  nextCursor: string | null;
  /** False: an exact search ended at a limit, and more may match. */
  isComplete: boolean;
  reranking: Reranking;
  facets: Facets;
}

/** All pages together: the candidates that one search of the index returns. */
const CANDIDATES = 100;
/** A run that was queued before a time may end after it. */
const LONGEST_RUN_MS = 86_400_000;
const MOST_RUNS = 10_000;

/** Searches, and prepares hits for people and agents: filters, snippets, links, pages. */
@Injectable()
export class AnswersService {
  constructor(
    private readonly searches: SearchService,
    private readonly readable: ReadableRepositories,
    private readonly executions: ExecutionStore,
    private readonly reranking: RerankingService,
  ) {}

  /** @throws invalid `glob_invalid`, `cursor_invalid`, `repository_not_found`; the errors of the search. */
  async search(request: AnswersRequest, signal: AbortSignal): Promise<Answers> {
    const { cursor, limit, snippetLines, visible = null, ...question } = request;
    const after = cursor === undefined ? null : placeOf(cursor, question);
    const pattern = patternOf(question);
    const { hits: found, isComplete } = await this.candidates({ ...question, visible }, pattern, signal);
    const matching = pattern ? byPattern(pattern) : byWords(queryWords(request.query));
    const { hits: all, reranking } = await this.reranked(question, found, matching, after, signal);
    const remaining = after === null ? all : all.filter((hit) => byPlace(after, placeOfHit(hit)) < 0);
    const page = remaining.slice(0, limit);
    const last = page.at(-1);
    const isMore = last !== undefined && remaining.length > limit;
    return {
      items: page.map((hit) => answerOf(hit, matching, snippetLines)),
      total: page.length,
      nextCursor: isMore
        ? cursorAfter({ ...placeOfHit(last), isReranked: reranking.status === 'applied' }, question)
        : null,
      isComplete,
      reranking,
      facets: facetsOf(all),
    };
  }

  private async candidates(
    request: Omit<AnswersRequest, 'limit'>,
    pattern: TextPattern | null,
    signal: AbortSignal,
  ): Promise<{ hits: MergedHit[]; isComplete: boolean }> {
    const { changedSince, minScore = -Infinity } = request;
    const isWanted = matcherOf(request);
    const repositoryIds = await this.selectedIds(request);
    const accepts = (payload: PointPayload): boolean => isWanted({ payload });
    const exact = pattern ? { pattern, accepts } : undefined;
    const limit = exact ? EXACT_LIMITS.hits : CANDIDATES;
    const search = { ...searchOf(request), repositoryIds, exact, limit };
    const { hits: found, isComplete } = await this.searches.search(search, signal);
    const isRecent =
      changedSince === undefined ? () => true : await this.readSince(changedSince, request.visible);
    const hits = found.filter((hit) => isWanted(hit) && isRecent(hit) && hit.score >= minScore);
    const merged = mergeNeighbours(hits).sort((left, right) => byPlace(placeOfHit(left), placeOfHit(right)));
    return { hits: merged, isComplete };
  }

  /** All pages of a search have the order of the first one. */
  private async reranked(
    { query, mode = 'hybrid', rerank }: Omit<AnswersRequest, 'limit' | 'visible'>,
    hits: MergedHit[],
    matching: Matching,
    after: PageEnd | null,
    signal: AbortSignal,
  ): Promise<RerankedHits> {
    const isWanted = after?.isReranked ?? (mode !== 'exact' && this.reranking.isWanted(query, mode, rerank));
    if (!isWanted) return { hits, reranking: NO_RERANKING };
    const result = await this.reranking.rerank(query, hits, matching, signal);
    if (after && result.reranking.status === 'failed') throw pagesLost(result.reranking);
    return result;
  }

  /** Undefined: all. */
  private async selectedIds(request: Omit<AnswersRequest, 'limit'>): Promise<readonly string[] | undefined> {
    const { repositoryIds, repositories: names, group, branch, visible = null } = request;
    if (names === undefined && group === undefined && branch === undefined) return repositoryIds;
    const candidates =
      names === undefined ? await this.readable.list(visible) : await this.named(names, visible);
    const isSelected = ({ id, projectPath, branch: own }: Repository): boolean =>
      (repositoryIds?.includes(id) ?? true) &&
      (group === undefined || projectPath.startsWith(`${group.replace(/\/+$/, '')}/`)) &&
      (branch === undefined || own === branch);
    return candidates.filter(isSelected).map(({ id }) => id);
  }

  private async named(names: readonly string[], visible: VisibleRepositories): Promise<Repository[]> {
    try {
      return (await Promise.all(names.map((name) => this.readable.allNamed(name, visible)))).flat();
    } catch (error) {
      throw naming(error, { repository_not_found: 'repositories' });
    }
  }

  private async readSince(
    since: Date,
    visible: VisibleRepositories = null,
  ): Promise<(hit: RepositoryHit) => boolean> {
    const from = new Date(since.getTime() - LONGEST_RUN_MS);
    const { items } = await this.executions.list({ from, visible }, { limit: MOST_RUNS, offset: 0 });
    const hasEnded = ({ completedAt }: Execution): boolean => completedAt === null || completedAt >= since;
    const commits = new Set(items.filter(hasEnded).map((run) => `${run.repositoryId} ${run.toCommit}`));
    return ({ repository, payload }) => commits.has(`${repository.id} ${payload.commit}`);
  }
}

/** Null: not an exact search. @throws invalid `pattern_invalid`, `mode_mismatch`. */
function patternOf({
  query,
  mode,
  rerank = false,
  regex = false,
  ignoreCase = false,
}: Omit<AnswersRequest, 'limit'>) {
  if (mode === 'exact' && rerank) {
    const message =
      'rerank does not apply to mode "exact", whose hits all contain the query. Leave one of them out.';
    throw new RepotideError('invalid', 'mode_mismatch', message, { details: { field: 'rerank' } });
  }
  if (mode === 'exact') return textPattern(query, { isRegex: regex, ignoreCase });
  if (!regex && !ignoreCase) return null;
  const field = regex ? 'regex' : 'ignore_case';
  const message = `${field} applies to mode "exact" only, and mode is "${mode ?? 'hybrid'}". Set mode to "exact".`;
  throw new RepotideError('invalid', 'mode_mismatch', message, { details: { field } });
}

function pagesLost({ error }: Reranking): RepotideError {
  const message = `The pages before this one were ordered by the reranker, which fails now. Search again from the first page, or try later. ${error}`;
  return new RepotideError('temporary', 'reranker_unavailable', message);
}

/** The part of a request that the search itself decides. */
function searchOf(request: Omit<AnswersRequest, 'limit'>): Omit<SearchRequest, 'limit' | 'repositoryIds'> {
  const { query, mode, allBranches, visible = null } = request;
  const lane = mode === 'exact' ? undefined : mode;
  return { query, visible, mode: lane, allBranches, ...storeFilters(request) };
}

function placeOfHit({ best: { score, payload, repository }, relevance }: MergedHit): Place {
  return {
    relevance: relevance ?? null,
    score,
    repositoryId: repository.id,
    path: payload.path,
    startLine: payload.start_line,
  };
}
