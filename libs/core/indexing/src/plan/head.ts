import { hasSameSettings } from '../run/identity.js';
import { type SyncRun } from '../run/sync-run.js';

/** The branch's commit, in one request; one more when the answer shows that the project has moved. */
export async function resolveHead(run: SyncRun): Promise<string> {
  const { projectId, branch } = run.repository;
  const head = await run.ports.source.headOf(projectId, branch, run.signal);
  if (head.webPath !== null && head.webPath !== pagePath(run)) {
    run.ways.enter('project');
    run.projectPath = (await run.ports.source.findProject(projectId, run.signal)).projectPath;
  }
  return head.commit;
}

/** Of the project's page. A proxy may add to it: then the question is asked that a move would need. */
function pagePath({ repository, projectPath }: SyncRun): string {
  return `${new URL(repository.baseUrl).pathname.replace(/\/+$/, '')}/${projectPath}`;
}

/** Same commit, same settings, nothing interrupted and nothing to retry: one request proved it. */
export async function isInSync(
  { repository, request, ports, settings }: SyncRun,
  commit: string,
): Promise<boolean> {
  if (request.fullSync || repository.indexDirty) return false;
  if (repository.lastSyncedCommit !== commit) return false;
  if (!hasSameSettings(repository.indexFingerprint, settings)) return false;
  return !(await ports.manifest.hasFailures(repository.id));
}
