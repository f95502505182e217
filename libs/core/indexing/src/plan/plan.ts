import { classifyPath, languageOf, type FileRules } from '@core/chunking';
import {
  groupsOf,
  throwIfAborted,
  TimeSlice,
  type ManifestEntry,
  type ManifestScope,
  type RuleWarning,
  type SkipReason,
  type StoredEntry,
  type TreeEntry,
} from '@core/domain';
import { directoriesOf, hasSameContentSettings } from '../run/identity.js';
import { type SyncRun } from '../run/sync-run.js';

/** A commit's tree, or the part of it that differs from the manifest. */
export interface Listing {
  entries: Map<string, TreeEntry>;
  /** Null: `entries` is the whole tree. Otherwise it is this part, and all other paths are verified to be as in the manifest. */
  scope: ManifestScope | null;
  /** The tree ids of the folders in `entries`. */
  folderIds: ReadonlyMap<string, string>;
  /** About names in `entries`. */
  warnings: readonly RuleWarning[];
}

/** Whether the listing may differ from the manifest at a path. */
export function isListed({ scope }: Listing, path: string): boolean {
  if (scope === null || scope.folders.has(folderOf(path))) return true;
  return scope.below.size > 0 && directoriesOf(path).some((folder) => scope.below.has(folder));
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** A path whose content must be read. */
export interface FileToFetch {
  entry: TreeEntry;
  /** The path's current row. */
  former: ManifestEntry | null;
}
/** A path with a blob whose points exist under another path. */
export interface FileToCopy extends FileToFetch {
  from: ManifestEntry;
  /** A rename when the other path was removed, otherwise a copy. */
  isRename: boolean;
}
export interface FileToSkip extends FileToFetch {
  reason: SkipReason;
  detail: string | null;
}

/** Size of a whole tree, to choose how to read it. */
export interface TreeSize {
  files: number;
  averageBytes: number;
  /** The source of the average, as text. */
  origin: string;
}

/** The work that makes the index equal to the tree at a commit. Requires a complete listing. */
export interface SyncPlan {
  fetch: FileToFetch[];
  copy: FileToCopy[];
  /** Excluded by a rule that needs no content. */
  skip: FileToSkip[];
  /** Rows with correct points and an old mode or rule fingerprint. */
  touch: FileToFetch[];
  /** Manifest rows whose path was removed. */
  vanished: ManifestEntry[];
  tree: TreeSize;
}

export function emptyPlan(): SyncPlan {
  const tree: TreeSize = { files: 0, averageBytes: 0, origin: 'as no file is known' };
  return { fetch: [], copy: [], skip: [], touch: [], vanished: [], tree };
}

/** Size of a typical source file; used while the manifest has no sizes. */
const USUAL_FILE_BYTES = 8 * 1024;
const USUAL_ORIGIN = 'the usual size of source code, as no file was read yet';

/** Compares a listing with the streamed manifest by blob SHA. Empties the listing, so that no entry is kept twice. */
export async function planSync(run: SyncRun, listing: Listing, rules: FileRules): Promise<SyncPlan> {
  const { request, ports, repository } = run;
  const plan = emptyPlan();
  const known = await ports.manifest.totalsOf(repository.id);
  const slice = new TimeSlice();
  for await (const rows of rowsToPlan(run, listing)) {
    throwIfAborted(request.signal);
    for (const row of rows) {
      if (slice.isOver) await slice.next();
      planKnownPath(run, plan, rules, row, listing);
    }
  }
  const newFiles = listing.entries.size;
  for (const entry of listing.entries.values()) {
    if (slice.isOver) {
      await slice.next();
      throwIfAborted(request.signal);
    }
    planChangedPath(plan, rules, entry, null);
  }
  listing.entries.clear();
  const files = known.files - plan.vanished.length + newFiles;
  plan.tree =
    known.sizedFiles > 0
      ? { files, averageBytes: known.sizeBytes / known.sizedFiles, origin: 'the average of the manifest' }
      : { files, averageBytes: USUAL_FILE_BYTES, origin: USUAL_ORIGIN };
  if (known.files > 0 && !request.fullSync) await findCopies(run, plan);
  return plan;
}

/** Changed rule files may change the verdict about any path; otherwise only the listed part may differ. */
function rowsToPlan({ ports, repository, fingerprint }: SyncRun, { scope }: Listing) {
  if (scope === null || repository.indexFingerprint !== fingerprint)
    return ports.manifest.listEntries(repository.id);
  return ports.manifest.listEntriesIn(repository.id, scope);
}

/** Plans a path of the manifest and removes it from the listing. */
function planKnownPath(
  run: SyncRun,
  plan: SyncPlan,
  rules: FileRules,
  row: StoredEntry,
  listing: Listing,
): void {
  const { entries } = listing;
  const isUnchanged = !isListed(listing, row.path);
  if (isUnchanged && row.fingerprint === run.fingerprint) return;
  const { path, mode, blobSha } = row;
  const entry = isUnchanged ? { path, mode, blobSha } : entries.get(path);
  entries.delete(row.path);
  if (!entry) {
    plan.vanished.push(row);
    return;
  }
  // A full sync that is taken over goes on where it stopped.
  const isReadAgain = run.request.fullSync && row.executionId !== run.identity.executionId;
  const isSameBlob = row.blobSha === entry.blobSha && row.lastError === null && !isReadAgain;
  if (isSameBlob && row.mode === entry.mode && row.fingerprint === run.fingerprint) return;
  if (isSameBlob && isStillCorrect(run, rules, row, entry)) plan.touch.push({ entry, former: row });
  else planChangedPath(plan, rules, entry, row);
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

/** `secret` may depend on the path or on the content, which must be read again. */
const REASONS_OF_PATH: readonly SkipReason[] = [
  ...(['excluded', 'not_included', 'ignored', 'generated', 'vendored', 'marked_binary'] as const),
  ...(['secret', 'submodule', 'symlink'] as const),
];

/** Whether a file with the same content is indexed correctly under changed rules, without reading it again. */
function isStillCorrect(run: SyncRun, rules: FileRules, row: ManifestEntry, entry: TreeEntry): boolean {
  if (!hasSameContentSettings(row.fingerprint, run.settings) || classifyPath(entry, rules)) return false;
  const isTooLarge = row.sizeBytes !== null && row.sizeBytes > run.repository.maxFileBytes;
  if (row.skipReason === null) return !isTooLarge;
  if (row.skipReason === 'too_large') return isTooLarge;
  return !REASONS_OF_PATH.includes(row.skipReason);
}

/** Moves files to `copy` that exist under another path with the same blob and language (which decides the chunks). */
async function findCopies(run: SyncRun, plan: SyncPlan): Promise<void> {
  const shas = [...new Set(plan.fetch.map((file) => file.entry.blobSha))];
  const sources = new Map<string, ManifestEntry>();
  for (const group of groupsOf(shas, 500)) {
    for (const row of await run.ports.manifest.findIndexedByBlob(run.repository.id, group)) {
      if (row.chunkCount > 0 && hasSameContentSettings(row.fingerprint, run.settings))
        sources.set(copyKey(row), row);
    }
  }
  const vanishedPaths = new Set(plan.vanished.map((row) => row.path));
  const remaining: FileToFetch[] = [];
  const slice = new TimeSlice();
  for (const file of plan.fetch) {
    if (slice.isOver) await slice.next();
    const from = sources.get(copyKey(file.entry));
    if (!from || from.path === file.entry.path) remaining.push(file);
    // A removed path is renamed to one new path; others are copies.
    else plan.copy.push({ ...file, from, isRename: vanishedPaths.delete(from.path) });
  }
  plan.fetch = remaining;
}

function copyKey(file: Pick<TreeEntry, 'path' | 'blobSha'>): string {
  return `${file.blobSha}\0${languageOf(file.path) ?? ''}`;
}
