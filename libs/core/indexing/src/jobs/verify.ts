import { type RunOutcome, type ActiveRun, type RunHandler } from '@core/domain';
import { describeDifferences, verifyRepository } from '../check/verify-repository.js';
import { repairRepository } from '../check/repair-repository.js';
import { type HandlerPorts } from './handler-ports.js';
import { openToPlan, openToRead, openToWrite } from './open-index.js';
import { prepareSync } from './sync-request.js';

/** Compares manifest and tree, and every point with the manifest; fails with the numbers when they differ. */
export function verifyHandler(ports: HandlerPorts): RunHandler {
  return { name: 'verify', takesDeleted: false, run: (active) => verify(active, ports) };
}

/** The same, and makes the index equal the branch's head where it differs. */
export function repairHandler(ports: HandlerPorts): RunHandler {
  return { name: 'repair', takesDeleted: false, run: (active) => repair(active, ports) };
}

async function verify(active: ActiveRun, ports: HandlerPorts): Promise<RunOutcome> {
  const { lastSyncedCommit } = active.repository;
  // Of what searches answer from, whatever its model.
  const index = (await openToRead(ports, active.repository)) ?? (await openToPlan(ports, active.repository));
  const { configured: embedder } = ports.embedders;
  const { request, ports: indexing } = await prepareSync(active, { embedder, ...index }, ports);
  const { state } = await verifyRepository(request, indexing);
  const report = { kind: 'verify', ...state, after_repair: null } as const;
  const counters = countUsage(active, indexing.source.usage());
  const base = { counters, fromCommit: lastSyncedCommit, toCommit: lastSyncedCommit, report };
  if (state.is_equal) return { ...base, status: 'completed', errorCode: null, errorMessage: null };
  const found = describeDifferences(state);
  const errorMessage =
    state.commit === null
      ? `No sync of the repository has come to its end yet, so there is nothing to equal (${found}).`
      : `The index differs from the tree at ${state.commit.slice(0, 12)}: ${found}. A repair puts it right.`;
  return { ...base, status: 'failed', errorCode: 'index_differs', errorMessage };
}

async function repair(active: ActiveRun, ports: HandlerPorts): Promise<RunOutcome> {
  const index = await openToWrite(ports, active.repository);
  const { request, ports: indexing } = await prepareSync(active, index, ports);
  // Before: the sync within counts the source's usage on top of what the row brought.
  const earlier = { ...active.counters };
  const outcome = await repairRepository(request, indexing);
  return {
    ...outcome,
    counters: countUsage({ counters: active.counters, earlier }, indexing.source.usage()),
  };
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
