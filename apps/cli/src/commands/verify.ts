import { EXIT, usageFailure } from '../failure.js';
import { printJson } from '../output/tables.js';
import { type Verified } from '../output/verify-summary.js';
import { answerOf, type Schemas, type Session } from '../service/client.js';
import { allRepositories, findRepository } from '../service/repositories.js';
import { showUntilEnd } from '../output/run-report.js';
import { type ServiceCommand } from './service-command.js';
import { remoteSession } from './with-service.js';

interface VerifyOptions {
  all?: boolean;
  repair?: boolean;
  json?: boolean;
}

export function addVerifyCommand(program: ServiceCommand): void {
  program
    .command('verify')
    .description('prove that the index equals the tree at its commit; the exit code is 1 where it does not')
    .argument('[repository]', 'path, path@branch or id of a registered repository; default: all')
    .option('--all', 'all repositories; the same as without an argument')
    .option('--repair', "make the index equal the branch's head where it differs")
    .json('the execution rows')
    .action(async (name: string | undefined, options: VerifyOptions, command: ServiceCommand) => {
      if (options.all && name !== undefined)
        throw usageFailure('arguments_exclude', 'give either a repository or --all, not both.');
      // Loaded only here, because the rules of an index come with it.
      const { printVerified } = await import('../output/verify-summary.js');
      const rows: Schemas['ExecutionDto'][] = [];
      let isAny = false;
      const onResult = ({ name: shown, outcome }: Verified): void => {
        isAny = true;
        const isError = outcome instanceof Error;
        if (isError || outcome.status !== 'completed') process.exitCode = EXIT.failed;
        if (!isError) rows.push(outcome);
        if (isError || !options.json) printVerified({ name: shown, outcome });
      };
      await verifyWherever(command, name, options.repair ?? false, onResult);
      if (options.json) printJson(rows);
      else if (!isAny)
        process.stdout.write('No repository is registered yet, so there is nothing to verify.\n');
    })
    .examples(
      'repotide verify group/project',
      'repotide verify --all --json',
      'repotide verify group/project --repair',
    );
}

async function verifyWherever(
  command: ServiceCommand,
  name: string | undefined,
  isRepair: boolean,
  onResult: (verified: Verified) => void,
): Promise<void> {
  const session = await remoteSession(command);
  if (session) return verifyRemotely(session, name, isRepair, onResult);
  const { verifyHere } = await import('../embedded/verify.js');
  return verifyHere(name, isRepair, onResult);
}

/** An error in one repository, for example a busy one, does not stop the others. */
async function verifyRemotely(
  session: Session,
  name: string | undefined,
  isRepair: boolean,
  onResult: (verified: Verified) => void,
): Promise<void> {
  const { client, signal } = session;
  const repositories =
    name === undefined ? await allRepositories(client) : [await findRepository(client, name)];
  for (const [index, { id, project_path: path, branch }] of repositories.entries()) {
    const shown = `${path} at ${branch}`;
    const label = `${index + 1} of ${repositories.length} repositories`;
    try {
      const request = { params: { path: { id } }, body: { repair: isRepair } };
      const started = await answerOf(client.POST('/api/v1/repositories/{id}/verify', request));
      onResult({ name: shown, outcome: await showUntilEnd(session, started.execution_id, { label }) });
    } catch (error) {
      if (signal.aborted || !(error instanceof Error)) throw error;
      onResult({ name: shown, outcome: error });
    }
  }
}
