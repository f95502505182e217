import {
  type Discovery,
  type DiscoveryCounts,
  type DiscoveryOutcome,
  type DiscoveryRun,
  type KnownRepository,
  type ListedProject,
  RepotideError,
  type Source,
} from '@core/domain';
import {
  type BranchesByProject,
  type DiscoveryPlan,
  planDiscovery,
  refuseGreatLoss,
  type Wanted,
} from './plan.js';
import { perProject } from './per-project.js';
import { type DiscoveryPorts } from './ports.js';
import { retireMissing } from './retire-missing.js';
import { compileSelection, type Selection } from './selection.js';

/** What a run would do now, with nothing done. */
export interface DiscoveryPreview {
  projectsListed: number;
  /** Not asked yet is whether each has a commit: an empty one is left out when it comes to it. */
  add: Wanted[];
  kept: number;
  missing: KnownRepository[];
  skipped: string[];
}

interface Looked {
  source: Source;
  listed: ListedProject[];
  plan: DiscoveryPlan;
  failures: string[];
}

/**
 * One run: list, compare, register, note what is missing, retire what was missing for long. Repeating it is harmless.
 * @throws conflict `discovery_loss_refused`; fence_lost; and what the source throws. Whatever was not listed completely
 *   leaves everything as it was.
 */
export async function runDiscovery(
  discovery: Discovery,
  run: DiscoveryRun,
  ports: DiscoveryPorts,
  signal: AbortSignal,
): Promise<DiscoveryOutcome> {
  const { source, listed, plan, failures } = await look(discovery, run.force, ports, signal);
  await ports.store.noteListing(run, plan.seen, plan.missing);
  const own = plan.keep.filter(({ discoveryId }) => discoveryId === discovery.id);
  const counts: DiscoveryCounts = {
    projectsListed: listed.length,
    added: 0,
    kept: plan.keep.length,
    restored: own.filter(({ missingSince }) => missingSince !== null).length,
    missing: plan.missing.length,
    retired: 0,
    skipped: plan.skipped.length,
    failed: 0,
  };
  for (const wanted of plan.add) {
    await perProject(wanted.projectPath, failures, signal, async () => {
      counts[await add(wanted, { discovery, run, source, ports, signal })] += 1;
    });
  }
  await retireMissing({ discovery, run, source, ports, counts, failures, listed, signal });
  counts.failed = failures.length;
  const [first] = failures;
  return first === undefined
    ? { status: 'completed', counts, errorCode: null, errorMessage: null }
    : {
        status: 'partial',
        counts,
        errorCode: 'discovery_incomplete',
        errorMessage: `${failures.length} project(s) could not be looked at and stay as they were, first: ${first}`,
      };
}

/** The same look, without force; it changes nothing. @throws as {@link runDiscovery}. */
export async function previewDiscovery(
  discovery: Discovery,
  force: boolean,
  ports: Pick<DiscoveryPorts, 'store' | 'sources'>,
  signal: AbortSignal,
): Promise<DiscoveryPreview> {
  const { listed, plan } = await look(discovery, force, ports, signal);
  return {
    projectsListed: listed.length,
    add: plan.add,
    kept: plan.keep.length,
    missing: plan.missing,
    skipped: plan.skipped.map(({ projectPath }) => projectPath),
  };
}

async function look(
  discovery: Discovery,
  force: boolean,
  { store, sources }: Pick<DiscoveryPorts, 'store' | 'sources'>,
  signal: AbortSignal,
): Promise<Looked> {
  const selection = compileSelection(discovery);
  const { baseUrl, credentialId, groupPath, includeSubgroups, membersOnly, archivedProjects } = discovery;
  const source = await sources.open({ baseUrl, credentialId }, signal);
  const includeArchived = archivedProjects === 'include';
  const listing = { groupPath, includeSubgroups, membersOnly, includeArchived };
  const listed = await source.listProjects(listing, signal);
  const known = await store.listKnown(discovery);
  if (!force) refuseGreatLoss(listed, known, discovery.id);
  const failures: string[] = [];
  const branches = await listBranches(source, listed, selection, failures, signal);
  return { source, listed, plan: planDiscovery(listed, branches, selection, known, discovery.id), failures };
}

async function listBranches(
  source: Source,
  listed: readonly ListedProject[],
  selection: Selection,
  failures: string[],
  signal: AbortSignal,
): Promise<BranchesByProject> {
  const found = new Map<number, string[] | 'unknown'>();
  if (!selection.needsBranches) return found;
  for (const { projectId, projectPath } of listed) {
    if (!selection.wantsProject(projectPath)) continue;
    found.set(projectId, 'unknown');
    await perProject(projectPath, failures, signal, async () => {
      found.set(projectId, await source.listBranches(projectId, signal));
    });
  }
  return found;
}

/** What all projects of one run are registered with. */
interface Registration {
  discovery: Discovery;
  run: DiscoveryRun;
  source: Source;
  ports: DiscoveryPorts;
  signal: AbortSignal;
}

async function add(
  wanted: Wanted,
  { discovery, run, source, ports, signal }: Registration,
): Promise<'added' | 'kept' | 'skipped'> {
  if (!(await hasCommit(source, wanted, signal))) return 'skipped';
  const { baseUrl, collectionName, includeGlobs, excludeGlobs, credentialId } = discovery;
  const { maxFileBytes, chunkSize, chunkOverlap } = discovery;
  const repository = {
    ...wanted,
    ...{ provider: 'gitlab' as const, baseUrl, collectionName, includeGlobs, excludeGlobs, credentialId },
    ...{ maxFileBytes, chunkSize, chunkOverlap },
  };
  const id = await ports.store.register(run, repository, ports.scheduleFor(discovery, wanted));
  if (id === null) return 'kept';
  const { projectPath: project_path, branch } = wanted;
  ports.logger.info(
    { discovery_id: discovery.id, repository_id: id, project_path, branch },
    'repository discovered',
  );
  return 'added';
}

/** Lists name a default branch even where no commit is. */
async function hasCommit(
  source: Source,
  { projectId, branch }: Wanted,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await source.headOf(projectId, branch, signal);
    return true;
  } catch (error) {
    const isNothing =
      error instanceof RepotideError && ['repository_empty', 'branch_not_found'].includes(error.code);
    if (isNothing) return false;
    throw error;
  }
}
