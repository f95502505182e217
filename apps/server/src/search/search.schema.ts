import { z } from 'zod';
import {
  commit,
  count,
  decimal,
  flag,
  instant,
  list,
  LISTED_ID,
  namedOneOf,
  oneOf,
  shown,
  text,
  trimmedText,
  uuid,
  wholeNumber,
} from '../http/fields.js';
import { model } from '../http/model.js';
import { CONTENT_KINDS } from './answers/content-kind.js';

const MAX_REPOSITORIES = 100;
const DEFAULT_LIMIT = 10;
// The largest limit that every vector store must support.
const MAX_LIMIT = 100;

export const SearchRequestDto = model('SearchRequestDto', {
  query: trimmedText(8000, 'The question, in words or in code.', {
    maxLength: 8000,
    example: 'where is the lease renewed',
  }),
  mode: oneOf(
    ['hybrid', 'dense', 'lexical', 'exact'],
    '`hybrid`: names first, then words and meaning together; `lexical`: words alone; `dense`: meaning alone; `exact`: ' +
      'text that has the query literally, or matches it as a regular expression.',
    { default: 'hybrid' },
  ).optional(),
  regex: flag('Only with `exact`: the query is a regular expression of RE2, with `^` and `$` at each line.', {
    default: false,
  }).optional(),
  ignore_case: flag('Only with `exact`: upper and lower case are the same.', { default: false }).optional(),
  repository_ids: list(
    LISTED_ID,
    'Search only these repositories; unknown ones find nothing. Default: all.',
    { min: 1, max: MAX_REPOSITORIES },
  ).optional(),
  path_prefix: text(4096, 'Search only this folder and below, or this file.', {
    example: 'src/app',
  }).optional(),
  repositories: list(
    text(1024, 'Full path of a project, `<path>@<branch>`, or an id.', { description: undefined }),
    'Search only these repositories, by name: the full path of a project, `<path>@<branch>`, or an id.',
    { min: 1, max: MAX_REPOSITORIES, example: ['group/project'] },
  ).optional(),
  group: text(1024, 'Search only projects of this group and its subgroups.', { example: 'group' }).optional(),
  branch: text(255, 'Search only this branch of each project.', { example: 'main' }).optional(),
  path_glob: text(
    4096,
    'Only paths that match, with the wildcards of file rules. Applies to the candidates.',
    {
      example: 'src/**/*.ts',
    },
  ).optional(),
  language: text(64, 'Search only this language, by any usual name: `py`, `.py`, `Python`.', {
    example: 'typescript',
  }).optional(),
  languages: list(
    text(64, 'Any usual name of a language.', { description: undefined }),
    'Only these languages, by any usual name. More than one applies to the candidates.',
    { min: 1, max: 50, example: ['py', 'go'] },
  ).optional(),
  kinds: list(
    namedOneOf('ContentKind', CONTENT_KINDS),
    'Only files of this kind, as path and language show it. Applies to the candidates.',
    { min: 1, max: CONTENT_KINDS.length, example: ['code'] },
  ).optional(),
  changed_since: instant(
    'Only text that a run has read since then, which is when it changed. Applies to the candidates.',
    { example: undefined },
  ).optional(),
  min_score: decimal('Leave out hits with a lower score.', 0.2).optional(),
  rerank: flag(
    'Whether the reranker orders the best hits, if one is configured. Default: questions of several words, unless the mode is `lexical`.',
    { example: undefined },
  ).optional(),
  all_branches: flag(
    'Also show identical text at the same path in another branch of the project. Default: only one of equal hits.',
    { default: false },
  ).optional(),
  limit: wholeNumber(1, MAX_LIMIT, 'How many hits to answer.').default(DEFAULT_LIMIT),
  cursor: text(8192, '`next_cursor` of an answer to the same query and filters: answers the hits after it.', {
    example: undefined,
  }).optional(),
});

const HighlightDto = model('HighlightDto', {
  line: count('Line of the file, from 1.', 12),
  start: count('First character in this line, from 0, in UTF-16 code units.', 7),
  end: count('The character after the last one.', 12),
});

const SnippetDto = model('SnippetDto', {
  start_line: count('First line of the snippet, from 1.', 12),
  end_line: count('Last line.', 18),
  text: shown('Its lines; each is cut after 400 characters.', 'renewLease() {'),
  highlights: z.array(HighlightDto).meta({ description: 'Terms of the query in the snippet.' }),
});

const ScorePartsDto = model('ScorePartsDto', {
  dense: decimal('By meaning: cosine similarity, -1 to 1; null: not found this way.', 0.62).nullable(),
  lexical: decimal('By words; null: not found this way.', 7.4).nullable(),
  names: decimal(
    'How well the names that the text defines fit the question; null: they were not compared, as for names.',
    0.8,
  ).nullable(),
  reranker: decimal('By the reranker; null: it did not read this hit.', 0.91).nullable(),
});

const FreshnessDto = model('FreshnessDto', {
  synced_commit: commit('Head of the branch at the last completed sync.').nullable(),
  last_sync_at: instant('When the index last equalled the head of the branch.').nullable(),
  age_seconds: count('Seconds since then.', 240).nullable(),
});

export const SearchHitDto = model('SearchHitDto', {
  repository_id: uuid('The repository of the hit.'),
  project_path: shown('Full path of its project.', 'group/project'),
  branch: shown('Its branch.', 'main'),
  path: shown('The file.', 'src/lease.ts'),
  start_line: count('First line, from 1.', 10),
  end_line: count('Last line.', 42),
  language: shown('Language of the file.', 'typescript').nullable(),
  commit: commit('The commit at which the text was read.'),
  score: decimal(
    'Of a hybrid search 0 to 1; of `dense` the cosine, -1 to 1; of `lexical` more than 0; of `exact` 1 where the match is a ' +
      'name that is defined there, 0.75 a whole name, 0.5 another text.',
    0.62,
  ),
  text: shown('The text of the chunk.', 'export class Lease {'),
  scores: ScorePartsDto,
  kind: namedOneOf('ContentKind', CONTENT_KINDS, 'What the file is for.'),
  chunks: count('Chunks of the file that this hit stands for: neighbours are one hit.', 1),
  snippet: SnippetDto,
  matching_lines: list(
    count('A line of the file, from 1.', 12),
    'Of `exact`: where matches begin, the first 200.',
  )
    .nullable()
    .meta({ example: null }),
  web_url: shown(
    'The lines of the snippet at that commit on the host; null where the form of its links is unknown.',
    'https://gitlab.example.com/group/project/-/blob/8f2c1e0d/src/lease.ts#L12-18',
  ).nullable(),
  freshness: FreshnessDto,
});

const FacetDto = model('FacetDto', {
  value: shown('The value to filter by.', 'typescript'),
  count: count('Candidates with it.', 7),
});
const RepositoryFacetDto = model('RepositoryFacetDto', {
  value: uuid('Id of the repository.'),
  count: count('Candidates in it.', 7),
  name: shown('Its project and branch.', 'group/project@main'),
});
const FacetsDto = model('FacetsDto', {
  languages: list(FacetDto, 'By language.'),
  repositories: list(RepositoryFacetDto, 'By repository.'),
  kinds: list(FacetDto, 'By kind: code, docs, tests, config.'),
});

const RerankingDto = model('RerankingDto', {
  status: oneOf(
    ['applied', 'failed', 'off'],
    '`applied`: the reranker ordered the candidates; `failed`: hits have the order without it; `off`: none is configured, or it is not used for this query.',
    { example: 'applied' },
  ),
  candidates: count('Hits that it ordered; the others follow them.', 32),
  error_code: shown('Why it failed.', 'reranker_unavailable').nullable(),
  error: shown('The same in words, with the setting to change.', 'The reranker did not answer.').nullable(),
});

export const SearchHitListDto = model('SearchHitListDto', {
  items: z.array(SearchHitDto),
  total: count('How many hits this answer has.', 1),
  next_cursor: shown('`cursor` of the next page; null: this is the last one.', 'WyJ4IiwwLjZd').nullable(),
  is_complete: flag(
    'False: an exact search ended at a limit of time or size, and more may match. Narrow it by repository or folder.',
    true,
  ),
  reranking: RerankingDto.meta({ description: 'What the reranker did.' }),
  facets: FacetsDto.meta({
    description:
      'Counts over all pages: the best hundred chunks that match the filters; of `exact` up to a thousand.',
  }),
});
