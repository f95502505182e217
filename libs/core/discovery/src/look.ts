import {
  type Discovery,
  type DiscoveryStore,
  type ListedProject,
  type Logger,
  type Source,
  type SourceFactory,
  throwIfAborted,
  toRepotideError,
} from '@core/domain';
import {
  type BranchesByProject,
  type DiscoveryPlan,
  planDiscovery,
  refuseGreatLoss,
  type Wanted,
} from './plan.js';
import { compileSelection, type Selection } from './selection.js';

export interface DiscoveryPorts {
  store: DiscoveryStore;
  sources: SourceFactory;
  logger: Logger;
  /** The schedule of a new repository; null: none. */
  scheduleFor: (discovery: Discovery, repository: Wanted) => Parameters<DiscoveryStore['register']>[2];
}

/** A listing of the host and the plan derived from it. */
export interface Look {
  discovery: Discovery;
  source: Source;
  signal: AbortSignal;
  selection: Selection;
  listed: readonly ListedProject[];
  plan: DiscoveryPlan;
  /** One message for each project that could not be read. */
  failures: string[];
}

/** Lists the host and compares it with the registered repositories. Changes nothing. */
export async function lookAt(
  discovery: Discovery,
  force: boolean,
  { store, sources }: Pick<DiscoveryPorts, 'store' | 'sources'>,
  signal: AbortSignal,
): Promise<Look> {
  const selection = compileSelection(discovery);
  const { groupPath, includeSubgroups, membersOnly, archivedProjects } = discovery;
  const source = await sources.open(discovery, signal);
  const includeArchived = archivedProjects === 'include';
  const listing = { groupPath, includeSubgroups, membersOnly, includeArchived };
  const listed = await source.listProjects(listing, signal);
  const known = await store.listKnown(discovery);
  if (!force) refuseGreatLoss(listed, known, discovery.id);
  const look = { discovery, source, signal, selection, listed, failures: [] };
  const branches = await listBranches(look);
  return { ...look, plan: planDiscovery(listed, branches, selection, known, discovery.id) };
}

async function listBranches(look: Omit<Look, 'plan'>): Promise<BranchesByProject> {
  const { source, signal, selection, listed } = look;
  const found = new Map<number, string[] | 'unknown'>();
  if (!selection.needsBranches) return found;
  for (const { projectId, projectPath } of listed) {
    if (!selection.wantsProject(projectPath)) continue;
    found.set(projectId, 'unknown');
    await attemptProject(look, projectPath, async () => {
      found.set(projectId, await source.listBranches(projectId, signal));
    });
  }
  return found;
}

/** Records the failure of one project, so that the run continues. @throws errors that concern the whole run. */
export async function attemptProject(
  { failures, signal }: Pick<Look, 'failures' | 'signal'>,
  projectPath: string,
  work: () => Promise<void>,
): Promise<void> {
  throwIfAborted(signal);
  try {
    await work();
  } catch (thrown) {
    const error = toRepotideError(thrown);
    if (['cancelled', 'fence_lost', 'internal'].includes(error.kind)) throw error;
    throwIfAborted(signal);
    failures.push(`${projectPath}: ${error.message}`);
  }
}
