import {
  type Discovery,
  type DiscoveryCounts,
  type DiscoveryRun,
  type KnownRepository,
  type ListedProject,
  RepotideError,
  type Source,
} from '@core/domain';
import { perProject } from './per-project.js';
import { type DiscoveryPorts } from './ports.js';
import { compileSelection } from './selection.js';

interface Retirement {
  discovery: Discovery;
  run: DiscoveryRun;
  source: Source;
  ports: DiscoveryPorts;
  counts: DiscoveryCounts;
  failures: string[];
  listed: readonly ListedProject[];
  signal: AbortSignal;
}

/** Retires what was missing for the whole grace, each only after a look of its own has not found it either. */
export async function retireMissing(retirement: Retirement): Promise<void> {
  const { discovery, run, ports, counts, failures, signal } = retirement;
  for (const repository of await ports.store.listRetirable(discovery)) {
    await perProject(repository.projectPath, failures, signal, async () => {
      if (!(await isGone(repository, retirement))) return;
      if (!(await ports.store.retire(run, repository.id, discovery.graceHours))) return;
      counts.retired += 1;
      counts.missing -= 1;
      const { id: repository_id, projectPath: project_path, branch, missingSince } = repository;
      ports.logger.info(
        { discovery_id: discovery.id, repository_id, project_path, branch, missing_since: missingSince },
        'repository retired',
      );
    });
  }
}

/** A project that is listed lacks the branch, or is excluded by a pattern. */
async function isGone(
  { projectId, branch }: KnownRepository,
  { discovery, source, listed, signal }: Retirement,
): Promise<boolean> {
  const project = listed.find((each) => each.projectId === projectId);
  if (project === undefined) return !(await belongs(projectId, discovery, source, signal));
  const selection = compileSelection(discovery);
  if (!selection.wantsProject(project.projectPath)) return true;
  // Read without a look at its branches, it is known only by its default branch, which is another one now.
  if (!selection.needsBranches) return project.defaultBranch !== null && project.defaultBranch !== branch;
  return true;
}

/** Whether the host, asked for this one project, shows it where the discovery looks. */
async function belongs(
  projectId: number,
  { groupPath, includeSubgroups, archivedProjects, membersOnly }: Discovery,
  source: Source,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const found = await source.findProject(projectId, signal);
    if (found.isMarkedForDeletion || (found.isArchived && archivedProjects === 'exclude')) return false;
    // Of a whole host, a member's listing does not hold what others may see.
    if (groupPath === null) return !membersOnly;
    const parent = found.projectPath.slice(0, found.projectPath.lastIndexOf('/')).toLowerCase();
    const group = groupPath.toLowerCase();
    return parent === group || (includeSubgroups && parent.startsWith(`${group}/`));
  } catch (error) {
    if (error instanceof RepotideError && error.code === 'project_not_found') return false;
    throw error;
  }
}
