import { type RunOutcome, type ActiveRun } from '@core/domain';
import { describeDifferences, driftOf, verifyRepository } from '../check/verify-repository.js';
import { repairRepository } from '../check/repair-repository.js';
import { openToPlan, openToRead, openToWrite, type HandlerPorts, withSource } from './open-run.js';

/** Compares the manifest with the tree and every point with the manifest; fails with the numbers if they differ. */
export async function verify(active: ActiveRun, ports: HandlerPorts): Promise<RunOutcome> {
  const { lastSyncedCommit } = active.repository;
  // The generation that searches use; its model may differ from the configured one.
  const index = (await openToRead(ports, active.repository)) ?? (await openToPlan(ports, active.repository));
  const { configured: embedder } = ports.embedders;
  const planned = { embedder, isModelConfirmed: false, ...index };
  const { state, usage } = await withSource(active, planned, ports, true, async (request, indexing) => {
    const verified = await verifyRepository(request, indexing);
    await indexing.manifest.recordVerification(active.identity, driftOf(verified.state));
    return { ...verified, usage: indexing.source.usage() };
  });
  const report = { kind: 'verify', ...state, after_repair: null } as const;
  const counters = countUsage(active, usage);
  const base = { counters, fromCommit: lastSyncedCommit, toCommit: lastSyncedCommit, report };
  if (state.is_equal) return { ...base, status: 'completed', errorCode: null, errorMessage: null };
  const found = describeDifferences(state);
  const errorMessage =
    state.commit === null
      ? `No sync of the repository has completed yet, so there is no commit to compare with (${found}).`
      : `The index differs from the tree at ${state.commit.slice(0, 12)}: ${found}. Run a repair.`;
  return { ...base, status: 'failed', errorCode: 'index_differs', errorMessage };
}

/** Verifies, and makes the index equal to the branch's head if it differs. */
export async function repair(active: ActiveRun, ports: HandlerPorts): Promise<RunOutcome> {
  const index = await openToWrite(ports, active.repository, active.signal);
  // Copied first: the sync inside adds the source's usage to the same counters.
  const earlier = { ...active.counters };
  return withSource(active, index, ports, false, async (request, indexing) => {
    const outcome = await repairRepository(request, indexing);
    const counters = countUsage({ counters: active.counters, earlier }, indexing.source.usage());
    return { ...outcome, counters };
  });
}

function countUsage(
  { counters, earlier = counters }: Pick<ActiveRun, 'counters'> & { earlier?: ActiveRun['counters'] },
  usage: { requests: number; bytes: number },
): ActiveRun['counters'] {
  return Object.assign(counters, {
    sourceRequests: earlier.sourceRequests + usage.requests,
    bytesFetched: earlier.bytesFetched + usage.bytes,
  });
}
