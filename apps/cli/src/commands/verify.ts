import { type INestApplicationContext } from '@nestjs/common';
import { InvalidArgumentError, type Command } from 'commander';
import {
  allItems,
  RepotideError,
  throwIfAborted,
  toRepotideError,
  type Execution,
  type Repository,
  RepositoryStore,
} from '@core/domain';
import { ExecutionDto, present } from '../../../server/src/index.js';
import { describeVerify } from '../output/summaries.js';
import { syncNow } from '../sync-project.js';
import { printJson, withApplication } from '../with-application.js';

/** A repository with its execution, or with the error that prevented it. */
interface Verified {
  repository: Repository;
  outcome: Execution | RepotideError;
}

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('prove that the index equals the tree at its commit; the exit code is 1 where it does not')
    .argument('[repository]', 'id, or full path of a registered project; default: all repositories')
    .option('--all', 'all repositories; the same as without an argument')
    .option('--repair', "make the index equal the branch's head where it differs")
    .option('--json', 'print the execution rows as JSON')
    .action(
      async (name: string | undefined, options: { all?: boolean; repair?: boolean; json?: boolean }) => {
        if (options.all && name !== undefined)
          throw new InvalidArgumentError('give either a repository or --all, not both.');
        const handler = options.repair ? 'repair' : 'verify';
        const rows: ExecutionDto[] = [];
        await withApplication(async (context, signal) => {
          for await (const { repository, outcome } of verifyEach(context, name, handler, signal)) {
            if (isError(outcome) || outcome.status !== 'completed') process.exitCode = 1;
            if (!isError(outcome)) rows.push(present(ExecutionDto, outcome));
            if (isError(outcome) || !options.json) print(repository, outcome);
          }
        });
        if (options.json) printJson(rows);
      },
    );
}

/** An error in one repository, for example a busy one, does not stop the others. */
async function* verifyEach(
  context: INestApplicationContext,
  name: string | undefined,
  handler: 'verify' | 'repair',
  signal: AbortSignal,
): AsyncGenerator<Verified> {
  const repositories = await findAll(context.get(RepositoryStore), name);
  for (const [index, repository] of repositories.entries()) {
    throwIfAborted(signal);
    const label = `${index + 1} of ${repositories.length} repositories`;
    try {
      yield { repository, outcome: await syncNow(context, repository, { handler, label, signal }) };
    } catch (thrown) {
      throwIfAborted(signal);
      yield { repository, outcome: toRepotideError(thrown) };
    }
  }
}

function isError(outcome: Execution | RepotideError): outcome is RepotideError {
  return outcome instanceof RepotideError;
}

async function findAll(store: RepositoryStore, name: string | undefined): Promise<Repository[]> {
  const byId = name === undefined ? null : await store.find(name);
  if (byId) return [byId];
  const filter = name === undefined ? {} : { projectPath: name };
  const found = await allItems((page) => store.list(filter, page));
  if (found.length > 0 || name === undefined) return found;
  throw new RepotideError(
    'not_found',
    'repository_not_found',
    `No repository "${name}" is registered; "repotide status" lists them.`,
  );
}

function print({ projectPath, branch }: Repository, outcome: Execution | RepotideError): void {
  const name = `${projectPath} at ${branch}`;
  if (isError(outcome)) process.stderr.write(`${name}: not verified: ${outcome.message}\n`);
  else process.stdout.write(`${name}: ${describeVerify(outcome)}\n`);
}
