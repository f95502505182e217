import { type INestApplicationContext } from '@nestjs/common';
import {
  allItems,
  RepotideError,
  throwIfAborted,
  toRepotideError,
  type Repository,
  RepositoryStore,
} from '@core/domain';
import { type Verified } from '../output/verify-summary.js';
import { asAnswered } from './as-answered.js';
import { syncNow } from './sync-project.js';
import { withApplication } from './with-application.js';

/** Verifies one or all repositories in this process, and hands each result on when it is there. */
export function verifyHere(
  name: string | undefined,
  isRepair: boolean,
  onResult: (verified: Verified) => void,
): Promise<void> {
  return withApplication(async (context, signal) => {
    for await (const verified of verifyEach(context, name, isRepair ? 'repair' : 'verify', signal))
      onResult(verified);
  });
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
    const shown = `${repository.projectPath} at ${repository.branch}`;
    try {
      const execution = await syncNow(context, repository, { handler, label, signal });
      yield { name: shown, outcome: asAnswered(execution, repository) };
    } catch (thrown) {
      // Ctrl-C ends the command, and the error says what becomes of the run.
      if (signal.aborted) throw thrown;
      yield { name: shown, outcome: toRepotideError(thrown) };
    }
  }
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
