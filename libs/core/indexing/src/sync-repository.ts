import { groupsOf, type PointTally, type RunOutcome } from '@core/domain';
import { isInSync, resolveHead } from './plan/head.js';
import { readListing } from './plan/listing.js';
import { planSync, type FileToFetch, type Listing, type SyncPlan } from './plan/plan.js';
import { readRules } from './read/read-rules.js';
import { SyncRun, type IndexingPorts, type SyncRequest } from './run/sync-run.js';
import { copyFiles } from './store/copy-files.js';
import { skippedFile } from './store/prepare-file.js';
import { commitFiles, commitRows } from './store/store-batch.js';
import { findDrift, openCollection } from './store/find-drift.js';
import { proveStore } from './store/prove-store.js';
import { streamFiles } from './store/stream-files.js';
import { sweepVanished } from './store/sweep.js';
import { sweepUnknown } from './store/sweep-strays.js';

const FILES_FAILED = {
  code: 'files_failed',
  message: 'Some files failed; the next run tries them again. See /repositories/:id/files?status=failed.',
};

/**
 * One sync of one repository: makes the index equal to the tree at the branch's head, then records that commit.
 *
 * The order keeps the index correct: plan from a complete listing, store new points, remove old ones, advance the
 * pointer last. The store is compared with the last run's mark before, and with the manifest after. After an interruption anywhere, the next run continues and does not repeat committed work.
 * @returns completed; or partial when files failed (the next run retries them) or when the run reached its budget
 *   (nothing is swept, the pointer stays, and the next run continues).
 * @throws RepotideError when the run as a whole cannot continue; nothing needs to be undone.
 */
export async function syncRepository(request: SyncRequest, ports: IndexingPorts): Promise<RunOutcome> {
  const run = new SyncRun(request, ports);
  const { repository } = run;

  await resolveHead(run);
  const totals = await ports.manifest.totalsOf(repository.id);
  run.drift = await run.stage('prove', {}, () => findDrift(run, totals));
  if (run.drift === null && isInSync(run, totals)) {
    await advancePointer(run, repository.indexFingerprint!);
    return outcome(run, run.commit);
  }

  await run.readLimits();
  await openCollection(run);
  const { plan, folderIds } = await run.stage('plan', {}, () => planFrom(run));
  run.work.expect(plan.fetch.length + plan.copy.length + plan.skip.length + plan.vanished.length);
  await ports.manifest.markDirty(run.identity, run.ruleWarnings);

  const notCopied = await run.stage('copy', { files: plan.copy.length }, () => copyFiles(run, plan.copy));
  await streamFiles(run, [...plan.fetch, ...notCopied], plan.tree);
  if (run.budget.stop()) return stopEarly(run);
  await skipFiles(run, plan);
  await touchFiles(run, plan.touch);

  await run.stage('sweep', { files: plan.vanished.length }, () =>
    sweepVanished(run, plan.vanished, renamedPathsOf(plan, notCopied)),
  );
  const tally = await proveStore(run, plan.tree);
  if (tally === null) return stopEarly(run);
  if (run.drift) await sweepUnknown(run, run.drift);
  await ports.manifest.recordFolderIds(run.identity, folderIds);
  await advancePointer(run, run.fingerprint, tally);
  // Not from the counters: they include failures of earlier attempts that this one repaired.
  const { failedFiles } = await ports.manifest.totalsOf(repository.id);
  return outcome(run, run.commit, run.budget.shortfall() ?? (failedFiles > 0 ? FILES_FAILED : null));
}

async function planFrom(run: SyncRun): Promise<{ plan: SyncPlan } & Pick<Listing, 'folderIds'>> {
  const listing = await readListing(run);
  const { folderIds } = listing;
  return { plan: await planSync(run, listing, await readRules(run, listing)), folderIds };
}

/** @param tally absent: the run wrote nothing, so the mark stays. */
function advancePointer(run: SyncRun, fingerprint: string, tally?: PointTally): Promise<void> {
  const { commit, projectPath } = run;
  const { indexSuspicions } = run.repository;
  const pointer = { commit, fingerprint, indexSuspicions, projectPath, ...(tally && { tally }) };
  return run.ports.manifest.advancePointer(run.identity, pointer);
}

/** @param shortfall why the run is only partial; null: it is completed. */
function outcome(
  run: SyncRun,
  toCommit: string | null,
  shortfall: { code: string; message: string } | null = null,
): RunOutcome {
  const { counters, drift, repository, strategies } = run;
  const messages = [shortfall?.message, drift?.message].filter((message) => message !== undefined);
  return {
    status: shortfall ? 'partial' : 'completed',
    counters,
    fromCommit: repository.lastSyncedCommit,
    toCommit,
    fetchStrategy: strategies.summary(),
    ...(drift && { report: drift.report }),
    errorCode: shortfall?.code ?? (drift && 'index_repaired'),
    errorMessage: messages.join(' ') || null,
  };
}

/** The manifest records the finished files; sweep and pointer wait for a run that completes. */
function stopEarly(run: SyncRun): RunOutcome {
  return outcome(run, null, run.budget.stop());
}

function renamedPathsOf(plan: SyncPlan, notCopied: readonly FileToFetch[]): Set<string> {
  const others = new Set(notCopied);
  const copied = plan.copy.filter((file) => file.isRename && !others.has(file));
  return new Set(copied.map((file) => file.from.path));
}

/** Commits rows for files that a rule excludes, and removes their points. */
async function skipFiles(run: SyncRun, { skip }: SyncPlan): Promise<void> {
  for (const files of groupsOf(skip, run.request.limits.batchFiles)) {
    const rows = files.map((file) => skippedFile(run, file, { sizeBytes: file.former?.sizeBytes ?? null }));
    await commitFiles(run, rows, 0);
  }
}

/** Updates rows whose points stay: a changed mode or rule fingerprint. Counts no files. */
async function touchFiles(run: SyncRun, files: readonly FileToFetch[]): Promise<void> {
  const { fingerprint } = run;
  for (const group of groupsOf(files, run.request.limits.batchFiles)) {
    const upserts = group.map(({ entry, former }) => ({ ...former!, mode: entry.mode, fingerprint }));
    await commitRows(run, { upserts });
  }
}
