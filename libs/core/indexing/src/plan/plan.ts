import { classifyPath, languageOf, type FileRules } from '@core/chunking';
import { throwIfAborted, type ManifestEntry, type SkipReason, type TreeEntry } from '@core/domain';
import { hasSameContentSettings } from '../run/identity.js';
import { type Listing } from './listing.js';
import { type SyncRun } from '../run/sync-run.js';

/** A path whose content must be read. */
export interface FileToFetch {
  entry: TreeEntry;
  /** What the manifest says of the path so far. */
  former: ManifestEntry | null;
}
/** A path that holds a blob whose points exist under another path. */
export interface FileToCopy extends FileToFetch {
  from: ManifestEntry;
  /** The other path is gone: a rename; otherwise a copy. */
  isRename: boolean;
}
export interface FileToSkip extends FileToFetch {
  reason: SkipReason;
  detail: string | null;
}

/** How much a whole tree is, for choosing how to read it. */
export interface TreeSize {
  files: number;
  averageBytes: number;
  /** Where the average is from, in words. */
  origin: string;
}

/** What must happen so that the index equals the tree at a commit. Made from a complete listing only. */
export interface SyncPlan {
  fetch: FileToFetch[];
  copy: FileToCopy[];
  /** Left out by a rule that needs no content. */
  skip: FileToSkip[];
  /** Rows whose points are right and whose mode or rule fingerprint is old. */
  touch: FileToFetch[];
  /** Manifest rows whose path is gone. */
  vanished: ManifestEntry[];
  tree: TreeSize;
}

export const NO_TREE: TreeSize = { files: 0, averageBytes: 0, origin: 'as no file is known' };
/** Of a file of source code, when the manifest knows none. */
const USUAL_FILE_BYTES = 8 * 1024;

/**
 * Compares a listing with the manifest by blob SHA. The listing is used up: each entry is held in one place. The
 * manifest is streamed.
 */
export async function planSync(run: SyncRun, listing: Listing, rules: FileRules): Promise<SyncPlan> {
  const { request, ports, repository } = run;
  const plan: SyncPlan = { fetch: [], copy: [], skip: [], touch: [], vanished: [], tree: NO_TREE };
  const known = { files: 0, sizedFiles: 0, bytes: 0 };
  for await (const rows of ports.manifest.listEntries(repository.id)) {
    throwIfAborted(request.signal);
    known.files += rows.length;
    for (const row of rows) {
      planKnownPath(run, plan, rules, row, listing);
      known.sizedFiles += row.sizeBytes === null ? 0 : 1;
      known.bytes += row.sizeBytes ?? 0;
    }
  }
  const newFiles = listing.entries.size;
  for (const entry of listing.entries.values()) planChangedPath(plan, rules, entry, null);
  listing.entries.clear();
  plan.tree = {
    files: known.files - plan.vanished.length + newFiles,
    averageBytes: known.sizedFiles > 0 ? known.bytes / known.sizedFiles : USUAL_FILE_BYTES,
    origin:
      known.sizedFiles > 0
        ? 'the average of the manifest'
        : 'the usual size of source code, as no file was read yet',
  };
  if (known.files > 0 && !request.fullSync) await findCopies(run, plan);
  return plan;
}

/** Decides about a path that the manifest knows and takes it out of the listing. */
function planKnownPath(
  run: SyncRun,
  plan: SyncPlan,
  rules: FileRules,
  row: ManifestEntry,
  { entries, changedPaths }: Listing,
): void {
  const isProvenSame = changedPaths?.has(row.path) === false;
  if (isProvenSame && row.fingerprint === run.fingerprint) return;
  const entry = isProvenSame ? entryOf(row) : entries.get(row.path);
  entries.delete(row.path);
  if (!entry) {
    plan.vanished.push(row);
    return;
  }
  const isSameBlob = row.blobSha === entry.blobSha && row.lastError === null && !run.request.fullSync;
  if (isSameBlob && row.mode === entry.mode && row.fingerprint === run.fingerprint) return;
  if (isSameBlob && isStillRight(run, rules, row, entry)) plan.touch.push({ entry, former: row });
  else planChangedPath(plan, rules, entry, row);
}

function entryOf({ path, mode, blobSha }: ManifestEntry): TreeEntry {
  return { path, mode, blobSha };
}

function planChangedPath(
  plan: SyncPlan,
  rules: FileRules,
  entry: TreeEntry,
  former: ManifestEntry | null,
): void {
  const verdict = classifyPath(entry, rules);
  if (verdict) plan.skip.push({ entry, former, reason: verdict.reason, detail: verdict.detail ?? null });
  else plan.fetch.push({ entry, former });
}

/** A file may also be skipped as a `secret` for its content; reading it again tells. */
const REASONS_OF_PATH: readonly SkipReason[] = [
  ...(['excluded', 'not_included', 'ignored', 'generated', 'vendored', 'marked_binary'] as const),
  ...(['secret', 'submodule', 'symlink'] as const),
];

/** Same content under changed rules: what the index holds of it may still be right, without reading it again. */
function isStillRight(run: SyncRun, rules: FileRules, row: ManifestEntry, entry: TreeEntry): boolean {
  if (!hasSameContentSettings(row.fingerprint, run.settings) || classifyPath(entry, rules)) return false;
  const isTooLarge = row.sizeBytes !== null && row.sizeBytes > run.repository.maxFileBytes;
  if (row.skipReason === null) return !isTooLarge;
  if (row.skipReason === 'too_large') return isTooLarge;
  return !REASONS_OF_PATH.includes(row.skipReason);
}

/** Moves to `copy` what exists under another path with the same blob and language (which decides the chunks). */
async function findCopies(run: SyncRun, plan: SyncPlan): Promise<void> {
  const shas = [...new Set(plan.fetch.map((file) => file.entry.blobSha))];
  const sources = new Map<string, ManifestEntry>();
  for (let start = 0; start < shas.length; start += 500) {
    const rows = await run.ports.manifest.findIndexedByBlob(
      run.repository.id,
      shas.slice(start, start + 500),
    );
    for (const row of rows) {
      if (row.chunkCount > 0 && hasSameContentSettings(row.fingerprint, run.settings))
        sources.set(copyKey(row), row);
    }
  }
  const vanishedPaths = new Set(plan.vanished.map((row) => row.path));
  const remaining: FileToFetch[] = [];
  for (const file of plan.fetch) {
    const from = sources.get(copyKey(file.entry));
    if (!from || from.path === file.entry.path) remaining.push(file);
    // One vanished path is renamed to one new path; further ones are copies of it.
    else plan.copy.push({ ...file, from, isRename: vanishedPaths.delete(from.path) });
  }
  plan.fetch = remaining;
}

function copyKey(file: Pick<TreeEntry, 'path' | 'blobSha'>): string {
  return `${file.blobSha}\0${languageOf(file.path) ?? ''}`;
}
