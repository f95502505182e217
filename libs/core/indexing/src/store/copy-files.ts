import pMap from 'p-map';
import { groupBy, throwIfAborted, type Point } from '@core/domain';
import { termsOf } from '@core/search';
import { directoriesOf, fileVersionOf, pointId } from '../run/identity.js';
import { type FileToCopy, type FileToFetch } from '../plan/plan.js';
import { changeOf, type PreparedFile } from './prepare-file.js';
import { commitFiles, inBatches } from './store-batch.js';
import { type SyncRun } from '../run/sync-run.js';

/** One read after the other would wait for the store once for each file of a renamed folder. */
const FILES_READ_AT_ONCE = 4;

/**
 * Renames and copies: stores the points of the same blob under the new path, without fetching or embedding.
 * @returns files whose points are incomplete; they must be fetched.
 */
export async function copyFiles(run: SyncRun, files: readonly FileToCopy[]): Promise<FileToFetch[]> {
  const incomplete: FileToFetch[] = [];
  let done = 0;
  const ordered = readersFirst(files);
  for await (const batch of inBatches(ordered, ({ from }) => from.chunkCount, run.request.limits)) {
    throwIfAborted(run.signal);
    if (run.budget.isOver()) {
      run.budget.addUnread(files.length - done);
      break;
    }
    const read = await pMap(batch, (file) => readPoints(run, file), { concurrency: FILES_READ_AT_ONCE });
    const copied = batch.filter((_, position) => read[position]);
    incomplete.push(...batch.filter((_, position) => !read[position]));
    const points = batch.flatMap((file, position) =>
      (read[position] ?? []).map((point) => underNewPath(run, file, point)),
    );
    await storeCopies(run, copied, points);
    done += batch.length;
  }
  return incomplete;
}

/** A copy may overwrite the source of another copy, so copies that read a path come before the one that writes it. */
function readersFirst(files: readonly FileToCopy[]): FileToCopy[] {
  const readers = groupBy(files, ({ from }) => from.path);
  const ordered = new Set<FileToCopy>();
  const begun = new Set<FileToCopy>();
  for (const file of files) {
    const waiting = [file];
    for (let last = waiting.at(-1); last !== undefined; last = waiting.at(-1)) {
      begun.add(last);
      const reader = readers.get(last.entry.path)?.pop();
      if (reader === undefined) ordered.add(waiting.pop()!);
      else if (!begun.has(reader)) waiting.push(reader);
    }
  }
  return [...ordered];
}

async function readPoints(run: SyncRun, { from }: FileToCopy): Promise<Point[] | null> {
  const version = fileVersionOf(from.blobSha, from.fingerprint);
  const file = { repositoryId: run.repository.id, path: from.path };
  const points = await run.ports.vectorStore.readFile(run.collection, file, version, run.signal);
  return points.length === from.chunkCount ? points : null;
}

async function storeCopies(run: SyncRun, files: readonly FileToCopy[], points: Point[]): Promise<void> {
  if (files.length === 0) return;
  throwIfAborted(run.signal);
  await run.ports.vectorStore.upsert(run.collection, points, run.signal);
  run.request.counters.embeddingsReused += points.length;
  const prepared = files.map((file) => preparedCopy(run, file));
  await commitFiles(run, prepared, points.length);
}

function underNewPath(run: SyncRun, { entry }: FileToCopy, { payload, vector }: Point): Point {
  const { path } = entry;
  return {
    id: pointId(run.repository.id, path, payload.file_version, payload.chunk_index),
    vector,
    terms: termsOf({ path, text: payload.text }),
    payload: {
      ...payload,
      project_path: run.projectPath,
      path,
      directories: directoriesOf(path),
      commit: run.commit,
      fence: run.identity.fence,
    },
  };
}

function preparedCopy(run: SyncRun, file: FileToCopy): PreparedFile {
  const { path, mode } = file.entry;
  const { fingerprint } = run;
  return {
    change: file.isRename ? 'renamed' : changeOf(file),
    former: file.former,
    chunks: [],
    row: { ...file.from, path, mode, fingerprint, indexedAt: run.ports.clock.now() },
  };
}
