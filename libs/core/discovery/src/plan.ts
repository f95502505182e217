import { type KnownRepository, type ListedProject, RepotideError } from '@core/domain';
import { type Selection } from './selection.js';

/** A larger share of missing projects suggests that the token lost its access. */
const MAX_LOST_SHARE = 0.5;

/** A repository to register. */
export interface Wanted {
  projectId: number;
  projectPath: string;
  branch: string;
}

/** The difference between a complete listing and the registered repositories. */
export interface DiscoveryPlan {
  add: Wanted[];
  /** Registered by this discovery or otherwise, and still listed. */
  keep: KnownRepository[];
  /** The discovery's own repositories that are still listed, with their current path. */
  seen: { id: string; projectPath: string }[];
  missing: KnownRepository[];
  /** Projects without a branch to index. */
  skipped: Pick<ListedProject, 'projectPath'>[];
}

/** The branches of the selected projects; `unknown` if they could not be read. */
export type BranchesByProject = ReadonlyMap<number, readonly string[] | 'unknown'>;

/**
 * Compares a complete listing with the registered repositories. Identifies projects by their number, so that a renamed
 * or moved one keeps its repositories. Keeps all repositories of a project whose branches are unknown.
 */
export function planDiscovery(
  listed: readonly ListedProject[],
  branches: BranchesByProject,
  selection: Selection,
  known: readonly KnownRepository[],
  discoveryId: string,
): DiscoveryPlan {
  const plan: DiscoveryPlan = { add: [], keep: [], seen: [], missing: [], skipped: [] };
  const knownKeys = new Set(known.map(keyOf));
  const present = new Map<string, string>();
  for (const project of listed) {
    if (!selection.wantsProject(project.projectPath)) continue;
    const found = branches.get(project.projectId) ?? null;
    if (found === 'unknown') {
      for (const each of known) {
        if (each.projectId === project.projectId) present.set(keyOf(each), project.projectPath);
      }
      continue;
    }
    const wanted = selection.branchesOf(project, found);
    if (wanted.length === 0) plan.skipped.push(project);
    for (const branch of wanted) {
      const { projectId, projectPath } = project;
      const key = keyOf({ projectId, branch });
      present.set(key, projectPath);
      if (!knownKeys.has(key)) plan.add.push({ projectId, projectPath, branch });
    }
  }
  for (const each of known) {
    const projectPath = present.get(keyOf(each));
    const isOwn = each.discoveryId === discoveryId;
    if (projectPath === undefined) {
      if (isOwn) plan.missing.push(each);
      continue;
    }
    plan.keep.push(each);
    if (isOwn) plan.seen.push({ id: each.id, projectPath });
  }
  return plan;
}

/**
 * Refuses a listing that lacks most of the known projects, because a token without access or a moved group gives the same
 * listing. Projects that a pattern excludes, or that were already missing, do not count.
 * @throws conflict `discovery_loss_refused`.
 */
export function refuseGreatLoss(
  listed: readonly ListedProject[],
  known: readonly KnownRepository[],
  discoveryId: string,
): void {
  const there = new Set(listed.map(({ projectId }) => projectId));
  const own = known.filter((each) => each.discoveryId === discoveryId && each.missingSince === null);
  const projects = new Set(own.map(({ projectId }) => projectId));
  const lost = [...projects].filter((projectId) => !there.has(projectId)).length;
  const isGreat = lost > 0 && (listed.length === 0 || lost > projects.size * MAX_LOST_SHARE);
  if (!isGreat) return;
  const message =
    `GitLab listed ${listed.length} project(s), and ${lost} of the ${projects.size} known ones were not among them: ` +
    'this looks like a token that lost its access. Nothing was changed. Check the credential and the group; if the ' +
    'projects were really deleted, run the discovery with {"force": true}.';
  const details = { projects_listed: listed.length, projects_known: projects.size, projects_lost: lost };
  throw new RepotideError('conflict', 'discovery_loss_refused', message, { details });
}

function keyOf({ projectId, branch }: Pick<Wanted, 'projectId' | 'branch'>): string {
  return `${projectId} ${branch}`;
}
