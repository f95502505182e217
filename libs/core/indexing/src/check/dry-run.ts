import { CHARACTERS_PER_TOKEN } from '@core/chunking';
import { samplePaths, type DryRunReport, type ManifestEntry } from '@core/domain';
import { estimateFetch } from '../read/fetch-cost.js';
import { isInSync, resolveHead } from '../plan/head.js';
import { fileVersionOf } from '../run/identity.js';
import { readListing } from '../plan/listing.js';
import { emptyPlan, planSync, type FileToFetch, type SyncPlan } from '../plan/plan.js';
import { readRules } from '../read/read-rules.js';
import { SyncRun, type IndexingPorts, type SyncRequest } from '../run/sync-run.js';

/**
 * Plans a sync and reports what it would do. Reads the head, the tree (or the comparison) and the rule files, but no
 * other content. Writes nothing.
 * @throws the errors of a sync.
 */
export async function dryRun(request: SyncRequest, ports: IndexingPorts): Promise<DryRunReport> {
  const run = new SyncRun(request, ports);
  await resolveHead(run);
  const totals = await ports.manifest.totalsOf(run.repository.id);
  if (isInSync(run, totals)) return reportOf(run, emptyPlan(), true);
  const listing = await readListing(run);
  const plan = await planSync(run, listing, await readRules(run, listing));
  return reportOf(run, plan, false);
}

function reportOf(run: SyncRun, plan: SyncPlan, isIndexEqual: boolean): DryRunReport {
  const { repository, request, counters } = run;
  const estimate = estimateFetch(run, plan);
  const certainty = plan.fetch.length === 0 ? 'exact' : 'estimated';
  const replaced = [
    ...plan.vanished,
    ...plan.skip.map(({ former }) => former),
    ...[...plan.fetch, ...plan.copy].map((file) => outdated(run, file)),
  ];
  return {
    kind: 'dry_run',
    from_commit: repository.lastSyncedCommit,
    to_commit: run.commit,
    is_in_sync: isIndexEqual,
    fetched: samplePaths(plan.fetch.map(pathOf)),
    copied: samplePaths(plan.copy.map(pathOf)),
    deleted: samplePaths(plan.vanished.map(({ path }) => path)),
    skipped: samplePaths(plan.skip.map(pathOf)),
    fetch_way: estimate.strategy,
    plan_requests: counters.sourceRequests,
    fetch_requests: estimate.requests,
    bytes_fetched: estimate.bytes,
    chunks_embedded: estimate.chunks,
    chunks_copied: plan.copy.reduce((sum, { from }) => sum + from.chunkCount, 0),
    chunks_deleted: replaced.reduce((sum, row) => sum + (row?.indexedAt ? row.chunkCount : 0), 0),
    embedding_tokens: estimate.tokens,
    certainty: {
      fetch_requests: certainty,
      bytes_fetched: certainty,
      chunks_embedded: certainty,
      embedding_tokens: certainty,
      // Only reading the store would find the points of an interrupted run or a late writer.
      chunks_deleted: repository.indexDirty || request.fullSync ? 'estimated' : 'exact',
    },
    estimated_from: `${estimate.sizesFrom}; ${CHARACTERS_PER_TOKEN} characters a token; no text found in the embedding cache`,
    warnings: isIndexEqual ? repository.warnings : [...run.ruleWarnings],
  };
}

function pathOf({ entry }: { entry: { path: string } }): string {
  return entry.path;
}

/** The row whose points are removed; null when the new points replace them by id. */
function outdated(run: SyncRun, { entry, former }: FileToFetch): ManifestEntry | null {
  if (former === null) return null;
  const isSame =
    fileVersionOf(former.blobSha, former.fingerprint) === fileVersionOf(entry.blobSha, run.fingerprint);
  return isSame ? null : former;
}
