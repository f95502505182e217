import {
  type Discovery,
  type DiscoveryCounts,
  type DiscoveryOutcome,
  type DiscoveryRun,
  type KnownRepository,
  toRepotideError,
} from '@core/domain';
import { attemptProject, type DiscoveryPorts, type Look, lookAt } from './look.js';
import { type Wanted } from './plan.js';

/** The counts of a run that failed before it could count. */
export const NO_COUNTS: Readonly<DiscoveryCounts> = {
  ...{ projectsListed: 0, added: 0, kept: 0, restored: 0 },
  ...{ missing: 0, retired: 0, skipped: 0, failed: 0 },
};

/** The changes that a run would make now. */
export interface DiscoveryPreview {
  projectsListed: number;
  /** Includes empty projects: only the run itself detects them. */
  add: Wanted[];
  kept: number;
  missing: KnownRepository[];
  skipped: string[];
}

/**
 * Lists the host, registers new repositories, marks missing ones, and retires those that were missing for the grace
 * period. Safe to repeat.
 * @throws conflict `discovery_loss_refused`; fence_lost; and errors of the source. After an incomplete listing nothing
 *   changes.
 */
export async function runDiscovery(
  discovery: Discovery,
  run: DiscoveryRun,
  ports: DiscoveryPorts,
  signal: AbortSignal,
): Promise<DiscoveryOutcome> {
  const look = await lookAt(discovery, run.force, ports, signal);
  const { plan, failures } = look;
  await ports.store.recordListing(run, plan.seen, plan.missing);
  const own = plan.keep.filter(({ discoveryId }) => discoveryId === discovery.id);
  const counts = {
    ...NO_COUNTS,
    projectsListed: look.listed.length,
    kept: plan.keep.length,
    restored: own.filter(({ missingSince }) => missingSince !== null).length,
    missing: plan.missing.length,
    skipped: plan.skipped.length,
  };
  for (const wanted of plan.add) {
    await attemptProject(look, wanted.projectPath, async () => {
      counts[await add(wanted, look, run, ports)] += 1;
    });
  }
  await retireMissing(look, run, ports, counts);
  counts.failed = failures.length;
  const [first] = failures;
  if (first === undefined) return { status: 'completed', counts, errorCode: null, errorMessage: null };
  const errorMessage = `${failures.length} project(s) could not be read and stay unchanged, first: ${first}`;
  return { status: 'partial', counts, errorCode: 'discovery_incomplete', errorMessage };
}

/** Lists and compares like a run, but changes nothing. @throws the errors of {@link runDiscovery}. */
export async function previewDiscovery(
  discovery: Discovery,
  force: boolean,
  ports: Pick<DiscoveryPorts, 'store' | 'sources'>,
  signal: AbortSignal,
): Promise<DiscoveryPreview> {
  const { listed, plan } = await lookAt(discovery, force, ports, signal);
  return {
    projectsListed: listed.length,
    add: plan.add,
    kept: plan.keep.length,
    missing: plan.missing,
    skipped: plan.skipped.map(({ projectPath }) => projectPath),
  };
}

async function add(
  wanted: Wanted,
  look: Look,
  run: DiscoveryRun,
  { store, logger, scheduleFor }: DiscoveryPorts,
): Promise<'added' | 'kept' | 'skipped'> {
  if (!(await hasCommit(wanted, look))) return 'skipped';
  const { discovery } = look;
  const { baseUrl, collectionName, credentialId } = discovery;
  const { includeGlobs, excludeGlobs, maxFileBytes, chunkSize, chunkOverlap } = discovery;
  const place = { ...wanted, provider: 'gitlab' as const, baseUrl, collectionName, credentialId };
  const rules = { includeGlobs, excludeGlobs, maxFileBytes, chunkSize, chunkOverlap };
  const id = await store.register(run, { ...place, ...rules }, scheduleFor(discovery, wanted));
  if (id === null) return 'kept';
  const { projectPath: project_path, branch } = wanted;
  const facts = { discovery_id: discovery.id, repository_id: id, project_path, branch };
  logger.info(facts, 'repository discovered');
  return 'added';
}

/** A listing names a default branch even for a project without a commit. */
async function hasCommit({ projectId, branch }: Wanted, { source, signal }: Look): Promise<boolean> {
  try {
    await source.headOf(projectId, branch, signal);
    return true;
  } catch (error) {
    const { code } = toRepotideError(error);
    if (code === 'repository_empty' || code === 'branch_not_found') return false;
    throw error;
  }
}

/** Retires repositories that were missing for the grace period. Confirms each one with a request for its project. */
async function retireMissing(
  look: Look,
  run: DiscoveryRun,
  { store, logger }: DiscoveryPorts,
  counts: DiscoveryCounts,
): Promise<void> {
  const { discovery } = look;
  for (const repository of await store.listRetirable(discovery)) {
    await attemptProject(look, repository.projectPath, async () => {
      if (!(await hasEnded(repository, look))) return;
      if (!(await store.retire(run, repository.id, discovery.graceHours))) return;
      counts.retired += 1;
      counts.missing -= 1;
      const { id: repository_id, projectPath: project_path, branch, missingSince } = repository;
      const facts = { discovery_id: discovery.id, repository_id, project_path, branch };
      logger.info({ ...facts, missing_since: missingSince }, 'repository retired');
    });
  }
}

/** A repository of an existing project no longer exists when the project lacks its branch or a pattern excludes it. */
async function hasEnded({ projectId, branch }: KnownRepository, look: Look): Promise<boolean> {
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
    if (toRepotideError(error).code === 'project_not_found') return false;
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
