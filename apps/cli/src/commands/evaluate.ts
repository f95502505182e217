import { readFile } from 'node:fs/promises';
import { Option } from 'commander';
import { type Mode, type Question } from '../evaluate/evaluate.js';
import { questionsOf } from '../evaluate/questions.js';
import { usageFailure } from '../failure.js';
import { table } from '../output/tables.js';
import { answerOf } from '../service/client.js';
import { decimal } from './options.js';
import { type ServiceCommand } from './service-command.js';

const MODES = ['hybrid', 'dense', 'lexical'] as const satisfies readonly Mode[];

interface EvaluateOptions {
  file: string;
  mode?: Mode[];
  gate?: string;
  maxLoss?: number;
}

export function addEvaluateCommand(program: ServiceCommand): void {
  program
    .command('evaluate')
    .description('measure how well a search answers your own questions')
    .requiredOption('-f, --file <file>', 'YAML list of question, expected (path or path:line), repository')
    .addOption(new Option('-m, --mode <mode...>', 'only these modes').choices(MODES))
    .json('the metrics')
    .option('--gate <collection>', 'also keep back a rebuilt index of it that answers them worse')
    .option('--max-loss <share>', 'with --gate: by how much nDCG@10 may fall; default: 0', decimal)
    .answers(
      async ({ client }, { file, mode = [...MODES], gate, maxLoss }: EvaluateOptions) => {
        const questions = await readQuestions(file);
        // Loaded here: no other command needs the search.
        const { evaluate } = await import('../evaluate/evaluate.js');
        const found = await evaluate(questions, mode, async (body) => {
          const { items } = await answerOf(client.POST('/api/v1/search', { body }));
          return items;
        });
        if (gate !== undefined) {
          const params = { path: { name: gate } };
          const body = { questions, max_loss: maxLoss };
          await answerOf(client.PUT('/api/v1/collections/{name}/gate', { params, body }));
        }
        return found;
      },
      (results) =>
        table(
          ['mode', 'questions', 'recall@1', 'recall@3', 'recall@10', 'MRR', 'nDCG@10'],
          results.map((each) => [
            ...[each.mode, each.questions, each.recall1, each.recall3, each.recall10, each.mrr, each.ndcg10],
          ]),
          'No mode was evaluated.',
        ),
    )
    .examples(
      'repotide evaluate -f questions.yaml',
      'repotide evaluate -f questions.yaml --mode hybrid --json',
      'repotide evaluate -f questions.yaml --gate repotide --max-loss 0.02',
    );
}

async function readQuestions(file: string): Promise<Question[]> {
  const { parse } = await import('../yaml.js');
  let content: unknown;
  try {
    content = parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw usageFailure('questions_unreadable', `${file} cannot be read as YAML: ${(error as Error).message}`);
  }
  return questionsOf(content, file);
}
