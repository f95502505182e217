import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  AnswersService,
  CONTENT_KINDS,
  present,
  SearchHitDto,
  type ContentKind,
} from '../../../server/src/index.js';
import { printHits } from '../output/hits.js';
import { printJson, withApplication } from '../with-application.js';

type SearchMode = (typeof SEARCH_MODES)[number];
const SEARCH_MODES = ['hybrid', 'dense', 'lexical'] as const;

interface SearchOptions {
  limit: number;
  repository?: string[];
  group?: string;
  branch?: string;
  path?: string;
  glob?: string;
  language?: string[];
  kind?: ContentKind[];
  mode?: SearchMode;
  since?: Date;
  minScore?: number;
  json?: boolean;
}

export function addSearchCommand(program: Command): void {
  program
    .command('search')
    .description('search what is indexed')
    .argument('<words>', 'what to look for')
    .option('-n, --limit <n>', 'how many answers, 1 to 100', parseLimit, 10)
    .option('-r, --repository <name...>', 'only these repositories: path, path@branch or id')
    .option('-g, --group <path>', 'only projects of this group and its subgroups')
    .option('-b, --branch <name>', 'only this branch of each project')
    .option('-p, --path <prefix>', 'only below this folder or in this file')
    .option('--glob <pattern>', 'only matching paths, e.g. "src/**/*.ts"')
    .option('-l, --language <name...>', 'only files of these languages, e.g. typescript or py')
    .addOption(new Option('-k, --kind <kind...>', 'only files of these kinds').choices(CONTENT_KINDS))
    .addOption(new Option('-m, --mode <mode>', 'how to search; default: hybrid').choices(SEARCH_MODES))
    .option('--since <time>', 'only text that a run has read since, e.g. 2026-11-01T00:00:00Z', parseTime)
    .option('--min-score <score>', 'leave out lower scores', parseScore)
    .option('--json', 'print the hits as JSON')
    .action(async (query: string, options: SearchOptions) => {
      const { limit, json } = options;
      const { items } = await withApplication((context, signal) =>
        context.get(AnswersService).search({ query, limit, ...filtersOf(options) }, signal),
      );
      if (json) printJson(items.map((hit) => present(SearchHitDto, hit)));
      else printHits(items);
    });
}

function filtersOf(options: SearchOptions) {
  const { repository, group, branch, path, glob, language, kind, mode, since, minScore } = options;
  return {
    ...(repository && { repositories: repository }),
    ...(group !== undefined && { group }),
    ...(branch !== undefined && { branch }),
    ...(path !== undefined && { pathPrefix: path }),
    ...(glob !== undefined && { pathGlob: glob }),
    ...(language && { languages: language }),
    ...(kind && { kinds: kind }),
    ...(mode && { mode }),
    ...(since && { changedSince: since }),
    ...(minScore !== undefined && { minScore }),
  };
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new InvalidArgumentError('expected 1 to 100.');
  return limit;
}

function parseScore(text: string): number {
  const score = Number(text);
  if (text.trim() === '' || !Number.isFinite(score)) throw new InvalidArgumentError('expected a number.');
  return score;
}

function parseTime(text: string): Date {
  const time = new Date(text);
  if (Number.isNaN(time.getTime()))
    throw new InvalidArgumentError('expected a time such as 2026-11-01T00:00:00Z.');
  return time;
}
