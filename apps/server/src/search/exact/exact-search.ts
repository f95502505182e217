import pMap from 'p-map';
import {
  type PointPayload,
  type SearchFilter,
  type SearchHit,
  TimeSlice,
  type VectorStore,
} from '@core/domain';
import { definedName, type MatchRange, type TextPattern } from '@core/search';

/** What to look for, literally. */
export interface ExactQuery {
  pattern: TextPattern;
  /** Whether a chunk counts; decides what the store's filter cannot. */
  accepts: (payload: PointPayload) => boolean;
}

/** A collection, and what of it may be read. */
export interface ExactScope {
  collection: string;
  filter: SearchFilter;
}

export interface ExactFindings {
  hits: (SearchHit & { score: number })[];
  /** False: a limit ended the search, and more may match. */
  isComplete: boolean;
}

/** Bounds of one search, over all collections. */
export const EXACT_LIMITS = { hits: 1_000, points: 500_000, characters: 300_000_000, milliseconds: 5_000 };
const COLLECTIONS_AT_ONCE = 4;
/** Every name that a text can define. */
const NAME = /^[A-Za-z_$][\w$]*$/;
const NO_TERMS = Uint32Array.of();

/** Reads stored texts and keeps those with a match; those that have the pattern's names as whole names first. */
export async function exactSearch(
  vectors: VectorStore,
  scopes: readonly ExactScope[],
  query: ExactQuery,
  signal: AbortSignal,
  limits = EXACT_LIMITS,
): Promise<ExactFindings> {
  const { certainTerms, likelyTerms, literal, ignoreCase } = query.pattern;
  const search = new Search(query, limits);
  const isCertain = certainTerms.length > 0;
  const passes = isCertain ? [certainTerms] : likelyTerms.length > 0 ? [likelyTerms, NO_TERMS] : [NO_TERMS];
  for (const terms of passes) {
    const scan = async ({ collection, filter }: ExactScope): Promise<void> => {
      if (search.isOver) return;
      const { known } = search;
      for await (const page of vectors.scan(
        collection,
        { filter, terms, literal, ignoreCase, known },
        signal,
      )) {
        await search.read(page.points, page.examined);
        if (search.isOver) return;
      }
    };
    await pMap(scopes, scan, { concurrency: COLLECTIONS_AT_ONCE });
  }
  return { hits: [...search.found.values()], isComplete: !search.isOver };
}

class Search {
  readonly found = new Map<string, SearchHit & { score: number }>();
  /** Ids of all points that were read: a second pass need not read them again. */
  readonly known = new Set<string>();
  isOver = false;
  private points = 0;
  private characters = 0;
  private readonly startedAt = performance.now();
  private readonly slice = new TimeSlice();

  constructor(
    private readonly query: ExactQuery,
    private readonly limits: typeof EXACT_LIMITS,
  ) {}

  async read(points: readonly { id: string; payload: PointPayload }[], examined: number): Promise<void> {
    this.points += examined;
    for (const { id, payload } of points) {
      if (this.isOver) return;
      // The store may read it in both passes.
      if (this.known.has(id)) continue;
      this.known.add(id);
      if (this.slice.isOver) await this.slice.next();
      this.characters += payload.text.length;
      const score = this.query.accepts(payload) ? scoreOf(payload.text, this.query.pattern) : null;
      if (score !== null) this.found.set(id, { id, payload, score, scores: { dense: null, lexical: null } });
      this.isOver = this.isBeyondLimits();
    }
    this.isOver ||= this.isBeyondLimits();
  }

  private isBeyondLimits(): boolean {
    const { hits, points, characters, milliseconds } = this.limits;
    return (
      this.found.size >= hits ||
      this.points >= points ||
      this.characters >= characters ||
      performance.now() - this.startedAt >= milliseconds
    );
  }
}

/** Definitions first, then whole names, then the rest; null: no match. */
function scoreOf(text: string, pattern: TextPattern): number | null {
  const ranges = pattern.rangesIn(text);
  if (ranges.length === 0) return null;
  const isName = (character: string | undefined) => character !== undefined && /[\w$]/.test(character);
  const whole = ranges.filter(({ start, end }) => !isName(text[start - 1]) && !isName(text[end]));
  if (whole.some((range) => isDefinition(text, range))) return 1;
  return whole.length > 0 ? 0.75 : 0.5;
}

/** Looks at the line of the match only: finding the definitions of a text takes longer than all the rest. */
function isDefinition(text: string, { start, end }: MatchRange): boolean {
  const match = text.slice(start, end);
  if (!NAME.test(match)) return false;
  const lineEnd = text.indexOf('\n', end);
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, lineEnd < 0 ? undefined : lineEnd);
  return definedName(line) === match;
}
