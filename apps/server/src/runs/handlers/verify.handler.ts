import { verifyRepository, type VerifyReport } from '@core/indexing';
import { type RunOutcome } from '@core/domain';
import { type ActiveRun, type RunHandler } from '@core/scheduling';
import { type HandlerPorts } from './handler-ports.js';
import { openToRead } from './open-index.js';

/** Compares every point of a repository with its manifest; fails with the numbers when they differ. */
export function verifyHandler(ports: HandlerPorts): RunHandler {
  return { name: 'verify', takesDeleted: false, run: (active) => check(active, ports, false) };
}

/** The same, and puts right what differs: extra points go, files with missing points are marked to be read again. */
export function repairHandler(ports: HandlerPorts): RunHandler {
  return { name: 'repair', takesDeleted: false, run: (active) => check(active, ports, true) };
}

/** Of what searches answer from. */
async function verify(
  { repository, identity, signal, counters }: ActiveRun,
  ports: HandlerPorts,
  repair: boolean,
): Promise<VerifyReport> {
  const index = await openToRead(ports, repository);
  if (!index) return { extraPoints: 0, incompleteFiles: 0 };
  const request = { ...index, identity, signal, counters, repair };
  return verifyRepository(request, { ...ports, manifest: index.manifest });
}

async function check(active: ActiveRun, ports: HandlerPorts, repair: boolean): Promise<RunOutcome> {
  const { counters } = active;
  const report = await verify(active, ports, repair);
  const { lastSyncedCommit } = active.repository;
  const differences = report.extraPoints + report.incompleteFiles;
  const found = `${report.extraPoints} extra point(s), ${report.incompleteFiles} file(s) with missing points`;
  const base = { counters, fromCommit: lastSyncedCommit, toCommit: lastSyncedCommit };
  if (differences === 0) return { ...base, status: 'completed', errorCode: null, errorMessage: null };
  return repair
    ? {
        ...base,
        status: 'completed',
        errorCode: 'index_repaired',
        errorMessage: `Found and put right: ${found}.`,
      }
    : {
        ...base,
        status: 'failed',
        errorCode: 'index_differs',
        errorMessage: `Found ${found}; a repair puts it right.`,
      };
}
