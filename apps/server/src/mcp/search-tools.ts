import { z } from 'zod';
import { shownPath } from '@core/chunking';
import { RepotideError } from '@core/domain';
import { fieldsOf } from '../http/model.js';
import { nameOf, type ReadableRepositories } from '../reading/readable-repositories.js';
import { type Answer } from '../search/answers/answer.js';
import { type AnswersService } from '../search/answers/answers.service.js';
import { CONTENT_KINDS } from '../search/answers/content-kind.js';
import { definitionLines } from '../search/answers/definition-lines.js';
import { REPOSITORY_INPUT } from './repository-tools.js';
import { tool } from './tool.js';
import { ago, numbered, shortCommit } from './words.js';

const MAX_HITS = 20;
const SNIPPET_LINES = 20;
const LINES_OF_DEFINITION = 12;
const MAX_DEFINITIONS = 10;
const NOT_ALL =
  'Not all text was searched, because a limit of time or size was reached: name a repository, path_prefix or language.';

export function searchCode(answers: AnswersService) {
  return tool({
    name: 'search_code',
    title: 'Search code and docs',
    description:
      'Searches the code, docs and configuration of all indexed repositories, by meaning and by name. Use it before you ' +
      'guess how something works, where it is implemented or used, or how other teams do it. Write a question ' +
      '("where is the lease renewed") or exact names ("renewLease"); with mode "exact" a text or a regular expression. ' +
      'Answers files with line numbers; then use read_file.',
    input: z.object({
      query: z.string().trim().min(1).max(2000).describe('A question, or names from the code.'),
      mode: z
        .enum(['hybrid', 'exact'])
        .default('hybrid')
        .describe('"exact": only text that contains the query literally, like grep.'),
      regex: z
        .boolean()
        .default(false)
        .describe('With mode "exact": the query is a regular expression (RE2).'),
      ignore_case: z.boolean().default(false).describe('With mode "exact": any case matches.'),
      repository: REPOSITORY_INPUT.optional().describe(
        'Only this repository, "group/project"; default: all.',
      ),
      group: z
        .string()
        .min(1)
        .max(1024)
        .optional()
        .describe('Only projects of this group, such as "platform".'),
      path_prefix: z.string().min(1).max(4096).optional().describe('Only this folder and below: "src/app".'),
      path_glob: z.string().min(1).max(4096).optional().describe('Only matching paths: "src/**/*.ts".'),
      language: z.string().min(1).max(64).optional().describe('Only this language: "python", "ts".'),
      kind: z.enum(CONTENT_KINDS).optional().describe('Only files of this kind.'),
      limit: z.int().min(1).max(MAX_HITS).default(8).describe('How many hits.'),
      cursor: z
        .string()
        .max(8192)
        .optional()
        .describe('Of an answer with the same query: the hits after it.'),
    }),
    async run({ query, mode, regex, ignore_case: ignoreCase, limit, cursor, ...given }, call) {
      const { signal, visible, shows } = call;
      shows({ query });
      const { repository, kind, ...others } = fieldsOf(given);
      const filters = {
        ...others,
        ...(repository !== undefined && { repositories: [repository] }),
        ...(kind !== undefined && { kinds: [kind] }),
      };
      const question = { query, mode, regex, ignoreCase, visible };
      const page = { limit, cursor, snippetLines: SNIPPET_LINES };
      const { items, nextCursor, isComplete } = await answers.search(
        { ...question, ...filters, ...page },
        signal,
      );
      shows({ repositoryIds: repositoriesOf(items) });
      const incomplete = isComplete ? [] : [NOT_ALL];
      if (items.length === 0) return [nothingFound(filters), ...incomplete].join(' ');
      const more = [...(nextCursor === null ? [] : [`More hits: cursor ${nextCursor}`]), ...incomplete];
      return [`${items.length} hits, best first:`, ...items.map(describeHit), ...more].join('\n\n');
    },
  });
}

export function findDefinition(readable: ReadableRepositories, answers: AnswersService) {
  return tool({
    name: 'find_definition',
    title: 'Find where a name is defined',
    description:
      'Finds the lines that define a function, method, class, type or constant, in all indexed repositories. Use it ' +
      'when you know the exact name; for everything else use search_code.',
    input: z.object({
      name: z
        .string()
        .trim()
        .regex(/^[\w$#:.-]{1,200}$/, 'must be one name, without spaces')
        .describe('The exact name, such as "renewLease".'),
      repository: REPOSITORY_INPUT.optional().describe(
        'Only this repository, "group/project"; default: all.',
      ),
      language: z.string().min(1).max(64).optional().describe('Only this language: "python", "ts".'),
    }),
    async run({ name, repository, language }, { signal, visible, shows }) {
      shows({ query: name });
      const only = repository === undefined ? null : await readable.named(repository, visible);
      const filters = { repositoryIds: only ? [only.id] : undefined, language };
      const { items } = await answers.search({ query: name, visible, limit: 100, ...filters }, signal);
      shows({ repositoryIds: repositoriesOf(items) });
      // The definition of "Lease.renew" or "lease::renew" contains only the last part.
      const ownName = name.split(/[.:#]+/).at(-1) ?? name;
      const found = items.flatMap((hit) =>
        definitionLines(hit.text, ownName).map((line) => describeDefinition(hit, line)),
      );
      if (found.length > 0) return [...new Set(found)].slice(0, MAX_DEFINITIONS).join('\n\n');
      const message =
        `No line was found that defines "${ownName}". It may come from a library that is not indexed, or be generated. ` +
        'search_code finds where it is used.';
      throw new RepotideError('not_found', 'definition_not_found', message);
    },
  });
}

function repositoriesOf(hits: readonly Answer[]): string[] {
  return [...new Set(hits.map(({ repositoryId }) => repositoryId))];
}

function describeHit(hit: Answer, index: number): string {
  const { snippet, language, score, webUrl } = hit;
  const facts = [language ?? 'unknown language', hit.kind, `score ${score.toFixed(2)}`];
  return [
    `${index + 1}. ${placeOf(hit, snippet.startLine, snippet.endLine)} (${facts.join(', ')}, ${ageOf(hit)})`,
    ...(webUrl === null ? [] : [webUrl]),
    ...(hit.matchingLines && hit.matchingLines.length > 1
      ? [`Matches at lines ${hit.matchingLines.join(', ')}`]
      : []),
    numbered(snippet.text.split('\n'), snippet.startLine),
  ].join('\n');
}

function describeDefinition(hit: Answer, line: number): string {
  const lines = hit.text.split('\n').slice(line, line + LINES_OF_DEFINITION);
  const startLine = hit.startLine + line;
  return [
    `${placeOf(hit, startLine, startLine + lines.length - 1)} (${hit.language ?? 'unknown language'}, ${ageOf(hit)})`,
    numbered(lines, startLine),
  ].join('\n');
}

function placeOf(hit: Answer, startLine: number, endLine: number): string {
  return `${nameOf(hit)} ${shownPath(hit.path)}:${startLine}-${endLine}`;
}

function ageOf({ commit, freshness }: Answer): string {
  return `commit ${shortCommit(commit)}, synced ${ago(freshness.lastSyncAt)}`;
}

function nothingFound(filters: object): string {
  const remedy =
    Object.keys(filters).length > 0
      ? 'Search again without filters'
      : 'Try other words, or call list_repositories to see what is indexed';
  return `Nothing was found. ${remedy}; repository_status says what is left out of an index.`;
}
