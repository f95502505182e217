import {
  type Discovery,
  type DiscoveryCounts,
  type DiscoveryRun,
  type KnownRepository,
  RepotideError,
} from '@core/domain';
import { attemptProject, type DiscoveryPorts, type Look } from './look.js';

/** Retires repositories that were missing for the grace period. Confirms each one with a request for its project. */
export async function retireMissing(
  look: Look,
  run: DiscoveryRun,
  { store, logger }: DiscoveryPorts,
  counts: DiscoveryCounts,
): Promise<void> {
  const { discovery } = look;
  for (const repository of await store.listRetirable(discovery)) {
    await attemptProject(look, repository.projectPath, async () => {
      if (!(await isGone(repository, look))) return;
      if (!(await store.retire(run, repository.id, discovery.graceHours))) return;
      counts.retired += 1;
      counts.missing -= 1;
      const {
        id: repository_id,
        projectPath: project_path,
        branch,
        missingSince: missing_since,
      } = repository;
      const fields = { discovery_id: discovery.id, repository_id, project_path, branch, missing_since };
      logger.info(fields, 'repository retired');
    });
  }
}

/** A repository of an existing project no longer exists when the project lacks its branch or a pattern excludes it. */
async function isGone({ projectId, branch }: KnownRepository, look: Look): Promise<boolean> {
  const project = look.listed.find((each) => each.projectId === projectId);
  if (project === undefined) return !(await belongs(projectId, look));
  if (look.selection.needsBranches || !look.selection.wantsProject(project.projectPath)) return true;
  // Without a list of its branches, only a changed default branch proves it.
  return project.defaultBranch !== null && project.defaultBranch !== branch;
}

/** Whether the host shows this one project within the scope of the discovery. */
async function belongs(projectId: number, { discovery, source, signal }: Look): Promise<boolean> {
  try {
    const found = await source.findProject(projectId, signal);
    if (found.isMarkedForDeletion || (found.isArchived && discovery.archivedProjects === 'exclude'))
      return false;
    return isWithin(discovery, found.projectPath);
  } catch (error) {
    if (error instanceof RepotideError && error.code === 'project_not_found') return false;
    throw error;
  }
}

function isWithin({ groupPath, includeSubgroups, membersOnly }: Discovery, projectPath: string): boolean {
  // A member's listing of a whole host lacks projects that the user can see without being a member.
  if (groupPath === null) return !membersOnly;
  const parent = projectPath.slice(0, projectPath.lastIndexOf('/')).toLowerCase();
  const group = groupPath.toLowerCase();
  return parent === group || (includeSubgroups && parent.startsWith(`${group}/`));
}
