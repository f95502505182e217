import { CHARACTERS_PER_TOKEN } from '@core/chunking';
import { type DryRunReport, type ManifestEntry } from '@core/domain';
import { estimateFetch } from '../read/fetch-estimate.js';
import { isInSync, resolveHead } from '../plan/head.js';
import { fileVersionOf } from '../run/identity.js';
import { sampleOf } from '../run/path-sample.js';
import { NO_TREE, planSync, type FileToFetch, type SyncPlan } from '../plan/plan.js';
import { readListing } from '../plan/read-listing.js';
import { readRules } from '../read/read-rules.js';
import { SyncRun, type IndexingPorts, type SyncRequest } from '../run/sync-run.js';

/**
 * Makes the plan of a sync and says what it would do. Reads the head, the tree (or the comparison) and the rule files;
 * no other content. Writes nothing anywhere.
 * @param pricePerMillionTokens null: no cost is told.
 * @throws RepotideError as the sync would.
 */
export async function dryRun(
  request: SyncRequest,
  ports: IndexingPorts,
  pricePerMillionTokens: number | null,
): Promise<DryRunReport> {
  const run = new SyncRun(request, ports);
  run.report('initializing', 'Resolving the branch');
  const commit = await resolveHead(run);
  if (await isInSync(run, commit)) return reportOf(run, commit, NOTHING, true, pricePerMillionTokens);
  const listing = await readListing(run, commit);
  const plan = await planSync(run, listing, await readRules(run, commit, listing));
  return reportOf(run, commit, plan, false, pricePerMillionTokens);
}

const NOTHING: SyncPlan = {
  fetch: [],
  copy: [],
  skip: [],
  touch: [],
  vanished: [],
  tree: NO_TREE,
};

function reportOf(
  run: SyncRun,
  commit: string,
  plan: SyncPlan,
  isIndexEqual: boolean,
  price: number | null,
): DryRunReport {
  const { repository, request, counters } = run;
  const estimate = estimateFetch(run, plan);
  const guess = plan.fetch.length === 0 ? 'exact' : 'estimated';
  const replaced = [
    ...plan.vanished,
    ...plan.skip.map(formerOf),
    ...[...plan.fetch, ...plan.copy].map((file) => outdated(run, file)),
  ];
  return {
    kind: 'dry_run',
    from_commit: repository.lastSyncedCommit,
    to_commit: commit,
    is_in_sync: isIndexEqual,
    fetched: sampleOf(plan.fetch.map(pathOf)),
    copied: sampleOf(plan.copy.map(pathOf)),
    deleted: sampleOf(plan.vanished.map(({ path }) => path)),
    skipped: sampleOf(plan.skip.map(pathOf)),
    fetch_way: estimate.way,
    plan_requests: counters.sourceRequests,
    fetch_requests: estimate.requests,
    bytes_fetched: estimate.bytes,
    chunks_embedded: estimate.chunks,
    chunks_copied: plan.copy.reduce((sum, { from }) => sum + from.chunkCount, 0),
    chunks_deleted: replaced.reduce((sum, row) => sum + (row?.indexedAt ? row.chunkCount : 0), 0),
    embedding_tokens: estimate.tokens,
    embedding_cost: price === null ? null : costOf(estimate.tokens, price),
    certainty: {
      fetch_requests: guess,
      bytes_fetched: guess,
      chunks_embedded: guess,
      embedding_tokens: guess,
      // Points that an interrupted run or a late writer left are known once the store has been looked through.
      chunks_deleted: repository.indexDirty || request.fullSync ? 'estimated' : 'exact',
    },
    estimated_from: `${estimate.sizesFrom}; ${CHARACTERS_PER_TOKEN} characters a token; no text found in the embedding cache`,
  };
}

function pathOf({ entry }: { entry: { path: string } }): string {
  return entry.path;
}

function formerOf({ former }: { former: ManifestEntry | null }): ManifestEntry | null {
  return former;
}

/** Points of the same version are written over, and stay. */
function outdated(run: SyncRun, { entry, former }: FileToFetch): ManifestEntry | null {
  if (former === null) return null;
  const isSame =
    fileVersionOf(former.blobSha, former.fingerprint) === fileVersionOf(entry.blobSha, run.fingerprint);
  return isSame ? null : former;
}

/** Rounded to a millionth of the currency. */
function costOf(tokens: number, pricePerMillionTokens: number): number {
  return Math.round(tokens * pricePerMillionTokens) / 1_000_000;
}
