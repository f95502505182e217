import { type RunOutcome } from '@core/domain';
import { copyFiles } from './store/copy-files.js';
import { isInSync, resolveHead } from './plan/head.js';
import { planSync, type FileToFetch, type SyncPlan } from './plan/plan.js';
import { skippedFile } from './store/prepare-file.js';
import { readListing } from './plan/read-listing.js';
import { readRules } from './read/read-rules.js';
import { type BudgetStop } from './run/run-budget.js';
import { commitFiles } from './store/store-batch.js';
import { streamFiles } from './store/stream-files.js';
import { sweepOrphans, sweepVanished } from './store/sweep.js';
import { SyncRun, type IndexingPorts, type SyncRequest } from './run/sync-run.js';

const FILES_FAILED = {
  code: 'files_failed',
  message: 'Some files failed and are tried again next time; see /repositories/:id/files?status=failed.',
};

/**
 * One run of one repository: makes the index equal the tree at the branch's head, then says so.
 *
 * The order is the promise: plan from a complete listing, store what is new, remove what is old, advance the pointer
 * last. Stopped anywhere, the next run continues; whatever was committed is not done again.
 * @returns completed, or partial when single files failed (they are retried by the next run) or when the run stopped
 *   before it passed its budget (then the pointer stays, nothing is swept, and the next run goes on).
 * @throws RepotideError when the run as a whole cannot go on; nothing needs undoing.
 */
export async function syncRepository(request: SyncRequest, ports: IndexingPorts): Promise<RunOutcome> {
  const run = new SyncRun(request, ports);
  const { repository, signal } = run;

  run.report('initializing', 'Resolving the branch');
  const commit = await resolveHead(run);
  const { indexFingerprint } = repository;
  if (indexFingerprint !== null && (await isInSync(run, commit))) {
    await advancePointer(run, commit, indexFingerprint);
    return completed(run, commit);
  }

  const collection = { name: run.collection, ...ports.embedder.model, modelId: ports.embedder.model.id };
  await ports.vectorStore.ensureCollection(collection, signal);
  const plan = await run.stage('plan', {}, () => planFrom(run, commit));
  run.work.expect(filesIn(plan));
  await ports.manifest.markDirty(run.identity);

  const notCopied = await run.stage('copy', { files: plan.copy.length }, () =>
    copyFiles(run, commit, plan.copy),
  );
  await streamFiles(run, commit, [...plan.fetch, ...notCopied], plan.tree);
  const stop = run.budget.stop();
  if (stop) return stopEarly(run, stop);
  await skipFiles(run, plan);
  await touchFiles(run, plan.touch);

  await run.stage('sweep', { files: plan.vanished.length }, () =>
    sweepVanished(run, plan.vanished, renamedPathsOf(plan, notCopied)),
  );
  if (repository.indexDirty || request.fullSync) {
    const lost = await run.stage('sweep', { leftovers: true }, () => sweepOrphans(run));
    await streamFiles(run, commit, lost, plan.tree);
    const late = run.budget.stop();
    if (late) return stopEarly(run, late);
  }
  await ports.manifest.rebuildFolders(run.identity);
  await advancePointer(run, commit, run.fingerprint);
  const shortfall = run.budget.shortfall();
  if (shortfall) return partial(run, commit, shortfall);
  // Asked of the manifest: the counters also hold what failed in an earlier attempt and was put right by this one.
  const hasFailures = await ports.manifest.hasFailures(repository.id);
  return hasFailures ? partial(run, commit, FILES_FAILED) : completed(run, commit);
}

async function planFrom(run: SyncRun, commit: string): Promise<SyncPlan> {
  const listing = await readListing(run, commit);
  return planSync(run, listing, await readRules(run, commit, listing));
}

function advancePointer(run: SyncRun, commit: string, fingerprint: string): Promise<void> {
  const { projectPath, repository } = run;
  const { indexSuspicions } = repository;
  const pointer = { commit, fingerprint, indexSuspicions, projectPath };
  return run.ports.manifest.advancePointer(run.identity, pointer);
}

function completed(run: SyncRun, commit: string): RunOutcome {
  return { ...reached(run, commit), status: 'completed', errorCode: null, errorMessage: null };
}

function partial(run: SyncRun, commit: string | null, reason: { code: string; message: string }): RunOutcome {
  const { code, message } = reason;
  return { ...reached(run, commit), status: 'partial', errorCode: code, errorMessage: message };
}

function reached(
  run: SyncRun,
  toCommit: string | null,
): Omit<RunOutcome, 'status' | 'errorCode' | 'errorMessage'> {
  const { counters, repository, ways } = run;
  return { counters, fromCommit: repository.lastSyncedCommit, toCommit, fetchStrategy: ways.summary() };
}

/** The manifest says what is done; all else waits for the run that comes to the end. */
async function stopEarly(run: SyncRun, stop: BudgetStop): Promise<RunOutcome> {
  await run.ports.manifest.rebuildFolders(run.identity);
  return partial(run, null, stop);
}

function filesIn(plan: SyncPlan): number {
  return plan.fetch.length + plan.copy.length + plan.skip.length + plan.vanished.length;
}

function renamedPathsOf(plan: SyncPlan, notCopied: readonly FileToFetch[]): Set<string> {
  const copied = plan.copy.filter((file) => file.isRename && !notCopied.includes(file));
  return new Set(copied.map((file) => file.from.path));
}

/** Rows for what a rule leaves out, and the removal of points that it had before. */
async function skipFiles(run: SyncRun, { skip }: SyncPlan): Promise<void> {
  const { batchFiles } = run.request.limits;
  for (let start = 0; start < skip.length; start += batchFiles) {
    const files = skip.slice(start, start + batchFiles);
    await commitFiles(
      run,
      files.map((file) => skippedFile(run, file, file.former?.sizeBytes ?? null)),
      0,
    );
  }
}

/** Rows whose points stay as they are: a changed mode, or another rule fingerprint. Counts as nothing done. */
async function touchFiles(run: SyncRun, files: readonly FileToFetch[]): Promise<void> {
  const { batchFiles } = run.request.limits;
  for (let start = 0; start < files.length; start += batchFiles) {
    const upserts = files.slice(start, start + batchFiles).map(({ entry, former }) => ({
      ...former!,
      mode: entry.mode,
      fingerprint: run.fingerprint,
    }));
    await run.ports.manifest.commitBatch(run.identity, { upserts, deletes: [] }, run.counters);
  }
}
