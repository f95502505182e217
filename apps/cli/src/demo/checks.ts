import { listTree } from '@devkit';
import { RepotideError, type Execution, type ManifestEntry } from '@core/domain';
import { type Edits } from './edits.js';
import { type Stage } from './stage.js';

/** The demo checks each claim before it prints it. @throws internal `demo_check_failed`. */
function check(isTrue: boolean, claim: string): void {
  if (!isTrue)
    throw new RepotideError('internal', 'demo_check_failed', `The demo found this not to be true: ${claim}.`);
}

export function checkSecondRun(run: Execution, requests: number): void {
  check(run.status === 'completed', 'the run of the unchanged repository completed');
  check(run.sourceRequests === 1 && requests === 1, 'an unchanged repository costs one GitLab request');
  check(run.embeddingsRequested === 0, 'an unchanged repository embeds nothing');
  check(run.chunksUpserted === 0 && run.chunksDeleted === 0, 'an unchanged repository writes nothing');
}

export function checkThirdRun(run: Execution, renamedChunks: number): void {
  check(run.status === 'completed', 'the run after the edit completed');
  check(run.filesProcessed === 3, 'only the three changed files were touched');
  check(
    run.filesModified === 1 && run.filesRenamed === 1 && run.filesDeleted === 1,
    'each change was seen for what it is',
  );
  check(run.embeddingsReused >= renamedChunks, 'the rename embedded nothing');
}

export function checkSearch(best: { path: string } | undefined, edits: Edits): void {
  check(best?.path === edits.edited, 'the best answer is the file that was edited');
}

/** The manifest lists every tracked path at its blob SHA: indexed, or skipped with a reason. */
export async function checkTree({ clone }: Stage, manifest: readonly ManifestEntry[]): Promise<void> {
  const tree = await listTree(clone.repository.directory, 'HEAD');
  const listed = new Map(manifest.map((file) => [file.path, file.blobSha]));
  check(
    listed.size === tree.length,
    `the manifest lists ${tree.length} paths, as git does (found ${listed.size})`,
  );
  check(
    tree.every((entry) => listed.get(entry.path) === entry.sha),
    'every path is listed at the blob SHA that git names',
  );
}
