import { type ManifestTotals } from '@core/domain';
import { hasSameSettings } from '../run/identity.js';
import { type SyncRun } from '../run/sync-run.js';

/** Finds the branch's commit, in one request; a second one when the answer shows that the project has moved. */
export async function resolveHead(run: SyncRun): Promise<void> {
  run.report('initializing', 'Resolving the branch');
  const { projectId, branch } = run.repository;
  const head = await run.ports.source.headOf(projectId, branch, run.signal);
  if (head.webPath !== null && head.webPath !== pagePath(run)) {
    run.strategies.use('project');
    run.projectPath = (await run.ports.source.findProject(projectId, run.signal)).projectPath;
  }
  run.commit = head.commit;
}

/** Expected path of the project's page. If a proxy changes it, each run makes the second request. */
function pagePath({ repository, projectPath }: SyncRun): string {
  return `${new URL(repository.baseUrl).pathname.replace(/\/+$/, '')}/${projectPath}`;
}

/** Same commit, same settings, no interrupted run and no failed file: there is nothing to do. */
export function isInSync(run: SyncRun, { failedFiles }: ManifestTotals): boolean {
  const { repository, request, settings, commit } = run;
  if (request.fullSync || repository.indexDirty) return false;
  if (repository.lastSyncedCommit !== commit) return false;
  if (!hasSameSettings(repository.indexFingerprint, settings)) return false;
  return failedFiles === 0;
}
