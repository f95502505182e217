import { InvalidArgumentError, type Command } from 'commander';
import { present, rowOfHit, SearchHitDto, SearchService } from '../../../server/src/index.js';
import { printHits } from '../output/tables.js';
import { printJson, withApplication } from '../with-application.js';

interface SearchOptions {
  limit: number;
  path?: string;
  language?: string;
  json?: boolean;
}

export function addSearchCommand(program: Command): void {
  program
    .command('search')
    .description('search what is indexed')
    .argument('<words>', 'what to look for')
    .option('-n, --limit <n>', 'how many answers, 1 to 100', parseLimit, 10)
    .option('-p, --path <prefix>', 'only below this folder or in this file')
    .option('-l, --language <name>', 'only files of this language, e.g. typescript')
    .option('--json', 'print the hits as JSON')
    .action(async (query: string, options: SearchOptions) => {
      const { limit, path, language } = options;
      const filters = {
        ...(path === undefined ? {} : { pathPrefix: path }),
        ...(language === undefined ? {} : { language }),
      };
      const hits = await withApplication((context, signal) =>
        context.get(SearchService).search({ query, limit, ...filters }, signal),
      );
      if (options.json) printJson(hits.map((hit) => present(SearchHitDto, rowOfHit(hit))));
      else printHits(hits);
    });
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new InvalidArgumentError('expected 1 to 100.');
  return limit;
}
