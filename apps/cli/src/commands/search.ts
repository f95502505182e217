import { Option } from 'commander';
import { printHits } from '../output/hits.js';
import { printJson } from '../output/tables.js';
import { answerOf, type Schemas } from '../service/client.js';
import { decimal, instant, wholeNumber } from './options.js';
import { type ServiceCommand } from './service-command.js';
import { withService } from './with-service.js';

type Kind = Schemas['ContentKind'];
type Mode = NonNullable<Schemas['SearchRequestDto']['mode']>;

const KINDS = ['code', 'docs', 'tests', 'config'] as const satisfies readonly Kind[];
const MODES = ['hybrid', 'dense', 'lexical', 'exact'] as const satisfies readonly Mode[];

const NOT_ALL = 'Stopped at a limit of time or size; more may match: name a repository or a folder.\n';

interface SearchOptions {
  limit: number;
  repository?: string[];
  group?: string;
  branch?: string;
  path?: string;
  glob?: string;
  language?: string[];
  kind?: Kind[];
  mode?: Mode;
  regex?: boolean;
  ignoreCase?: boolean;
  since?: string;
  minScore?: number;
  rerank: boolean;
  json?: boolean;
}

export function addSearchCommand(program: ServiceCommand): void {
  program
    .command('search')
    .description('search what is indexed')
    .argument('<words>', 'what to look for')
    .option('-n, --limit <n>', 'how many answers, 1 to 100', wholeNumber(1, 100), 10)
    .option('-r, --repository <name...>', 'only these repositories: path, path@branch or id')
    .option('-g, --group <path>', 'only projects of this group and its subgroups')
    .option('-b, --branch <name>', 'only this branch of each project')
    .option('-p, --path <prefix>', 'only below this folder or in this file')
    .option('--glob <pattern>', 'only matching paths, e.g. "src/**/*.ts"')
    .option('-l, --language <name...>', 'only files of these languages, e.g. typescript or py')
    .addOption(new Option('-k, --kind <kind...>', 'only files of these kinds').choices(KINDS))
    .addOption(new Option('-m, --mode <mode>', 'how to search; default: hybrid').choices(MODES))
    .option('--regex', 'with --mode exact: the words are a regular expression (RE2)')
    .option('-i, --ignore-case', 'with --mode exact: any case matches')
    .option('--since <time>', 'only text that a run has read since, e.g. 7d or 2026-11-01T00:00:00Z', instant)
    .option('--min-score <score>', 'leave out lower scores', decimal)
    .option('--no-rerank', 'keep the order without the reranker')
    .json('the hits')
    .action(async (query: string, options: SearchOptions, command: ServiceCommand) => {
      const body = { query, ...filtersOf(options) };
      const found = await withService(command, ({ client }) =>
        answerOf(client.POST('/api/v1/search', { body })),
      );
      const { items, is_complete: isComplete, reranking } = found;
      if (options.json) printJson(items);
      else printHits(items);
      if (!isComplete) process.stderr.write(NOT_ALL);
      if (reranking.error !== null) process.stderr.write(`Not reranked: ${reranking.error}\n`);
    })
    .examples(
      'repotide search "retry with backoff"',
      'repotide search renewLease --repository group/project --kind code --limit 3',
      'repotide search "^export .*Lease" --mode exact --regex',
    );
}

function filtersOf({ limit, group, branch, mode, regex, ...options }: SearchOptions) {
  return {
    ...{ limit, group, branch, mode, regex },
    repositories: options.repository,
    path_prefix: options.path,
    path_glob: options.glob,
    languages: options.language,
    kinds: options.kind,
    ignore_case: options.ignoreCase,
    changed_since: options.since,
    min_score: options.minScore,
    rerank: options.rerank ? undefined : false,
  };
}
