import { RepotideError, type PointTally } from '@core/domain';
import { type TreeSize } from '../plan/plan.js';
import { type SyncRun } from '../run/sync-run.js';
import { Drift } from '../run/drift.js';
import { noteDrift, settledTally } from './find-drift.js';
import { streamFiles } from './stream-files.js';
import { sweepOrphans } from './sweep.js';

/** The second one removes what a file left that failed in the first. */
const MOST_REPAIRS = 3;

/**
 * Proves that the store has as many points as the manifest says, and repairs it when it has not. A run that cannot trust
 * the store compares every point first. Call after all new points are stored and all old ones removed.
 * @returns what the store has; null when the budget is reached.
 * @throws temporary `index_differs` when the difference remains.
 */
export async function proveStore(run: SyncRun, tree: TreeSize): Promise<PointTally | null> {
  const repair = async (): Promise<void> => {
    const lost = await run.stage('sweep', { leftovers: true }, () => sweepOrphans(run));
    await streamFiles(run, lost, tree);
  };
  if (run.comparesPoints) await repair();
  for (let repairs = 0; ; repairs++) {
    if (run.budget.stop()) return null;
    const { chunks: expected } = await run.ports.manifest.totalsOf(run.repository.id);
    const tally = await settledTally(run, ({ points }) => points === expected);
    const { points: found } = tally;
    if (found === expected) return tally;
    if (repairs === MOST_REPAIRS) throw indexDiffers(found, expected);
    if (!run.comparesPoints)
      run.drift = await noteDrift(run, new Drift('points_differ', { expected, found }));
    await repair();
  }
}

function indexDiffers(found: number, expected: number): RepotideError {
  const message =
    `The vector store has ${found} points of this repository, and the manifest ${expected}, also after ` +
    `${MOST_REPAIRS} repairs. Look for another program that writes to the collection, or for replicas that lag.`;
  const details = { points_found: found, points_expected: expected };
  return new RepotideError('temporary', 'index_differs', message, { details });
}
