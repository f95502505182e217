import { type INestApplicationContext } from '@nestjs/common';
import { type Command } from 'commander';
import { RepotideError, type Execution, type Repository, type RepositoryStore } from '@core/domain';
import { ExecutionDto, tokens } from '../../../server/src/index.js';
import { describeVerify } from '../output/verify-summary.js';
import { syncNow } from '../sync-project.js';
import { withApplication } from '../with-application.js';

const PER_PAGE = 100;

interface Verified {
  repository: Repository;
  execution: Execution;
}

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('prove that the index equals the tree at its commit; the exit code is 1 where it does not')
    .argument('[repository]', 'id, or full path of a registered project; default: all repositories')
    .option('--repair', "make the index equal the branch's head where it differs")
    .option('--json', 'print the execution rows as JSON')
    .action(async (name: string | undefined, options: { repair?: boolean; json?: boolean }) => {
      const handler = options.repair ? 'repair' : 'verify';
      const verified = await withApplication((context, signal) => verifyAll(context, name, handler, signal));
      if (options.json) {
        const rows = verified.map(({ execution }) => ExecutionDto.of(execution));
        process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
      } else {
        for (const { repository, execution } of verified) print(repository, execution);
      }
      if (verified.some(({ execution }) => execution.status !== 'completed')) process.exitCode = 1;
    });
}

async function verifyAll(
  context: INestApplicationContext,
  name: string | undefined,
  handler: 'verify' | 'repair',
  signal: AbortSignal,
): Promise<Verified[]> {
  const verified: Verified[] = [];
  for (const repository of await findAll(context.get<RepositoryStore>(tokens.REPOSITORY_STORE), name)) {
    verified.push({ repository, execution: await syncNow(context, repository, { handler, signal }) });
  }
  return verified;
}

async function findAll(store: RepositoryStore, name: string | undefined): Promise<Repository[]> {
  const byId = name === undefined ? null : await store.find(name);
  if (byId) return [byId];
  const filter = name === undefined ? {} : { projectPath: name };
  const found: Repository[] = [];
  for (;;) {
    const { items, total } = await store.list(filter, { limit: PER_PAGE, offset: found.length });
    found.push(...items);
    if (items.length === 0 || found.length >= total) break;
  }
  if (found.length > 0 || name === undefined) return found;
  throw new RepotideError(
    'not_found',
    'repository_not_found',
    `No repository "${name}" is registered; "repotide status" lists them.`,
  );
}

function print({ projectPath, branch }: Repository, execution: Execution): void {
  process.stdout.write(`${projectPath} at ${branch}: ${describeVerify(execution)}\n`);
}
