import { groupBy, throwIfAborted, type Point } from '@core/domain';
import { termsOf } from '@core/search';
import { directoriesOf, fileVersionOf, pointId } from '../run/identity.js';
import { type FileToCopy, type FileToFetch } from '../plan/plan.js';
import { changeOf, type PreparedFile } from './prepare-file.js';
import { commitFiles } from './store-batch.js';
import { type SyncRun } from '../run/sync-run.js';

interface Copies {
  points: Point[];
  files: PreparedFile[];
}

/**
 * Renames and copies: stores the points of the same blob under the new path, without fetching or embedding.
 * @returns files whose points are incomplete; they must be fetched.
 */
export async function copyFiles(
  run: SyncRun,
  commit: string,
  files: readonly FileToCopy[],
): Promise<FileToFetch[]> {
  const { limits } = run.request;
  const incomplete: FileToFetch[] = [];
  let batch: Copies = { points: [], files: [] };
  for (const [position, file] of readersFirst(files).entries()) {
    throwIfAborted(run.signal);
    if (run.budget.isOver()) {
      run.budget.addUnread(files.length - position);
      break;
    }
    const points = await readPoints(run, file);
    if (points) {
      batch.points.push(...points.map((point) => underNewPath(run, commit, file, point)));
      batch.files.push(preparedCopy(run, file));
    } else {
      incomplete.push(file);
    }
    if (batch.points.length >= limits.batchChunks || batch.files.length >= limits.batchFiles) {
      await storeCopies(run, batch);
      batch = { points: [], files: [] };
    }
  }
  await storeCopies(run, batch);
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

async function storeCopies(run: SyncRun, { points, files }: Copies): Promise<void> {
  if (files.length === 0) return;
  throwIfAborted(run.signal);
  await run.ports.vectorStore.upsert(run.collection, points, run.signal);
  run.request.counters.embeddingsReused += points.length;
  await commitFiles(run, files, points.length);
}

function underNewPath(
  run: SyncRun,
  commit: string,
  { entry }: FileToCopy,
  { payload, vector }: Point,
): Point {
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
      commit,
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
