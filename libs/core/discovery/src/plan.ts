import { type KnownRepository, type ListedProject, RepotideError } from '@core/domain';
import { type Selection } from './selection.js';

/** More than this part of the known projects gone at once looks like a token that lost its access. */
const MAX_LOST_PART = 0.5;

export interface Wanted {
  projectId: number;
  projectPath: string;
  branch: string;
}

/** What a complete listing means for what is registered. */
export interface DiscoveryPlan {
  add: Wanted[];
  /** Registered and still there; of others, too. */
  keep: KnownRepository[];
  /** Own ones that are there, with the path of today. */
  seen: { id: string; projectPath: string }[];
  missing: KnownRepository[];
  /** Projects with no branch to index. */
  skipped: Pick<ListedProject, 'projectPath'>[];
}

/** What was found out about the projects that are wanted: their branches, or that they cannot be looked at now. */
export type BranchesByProject = ReadonlyMap<number, readonly string[] | 'unknown'>;

/**
 * Compares a complete listing with what is registered; pure. Projects are known by their number, so that a renamed or
 * moved one stays what it is. Of a project whose branches are unknown, everything stays.
 */
export function planDiscovery(
  listed: readonly ListedProject[],
  branches: BranchesByProject,
  selection: Selection,
  known: readonly KnownRepository[],
  discoveryId: string,
): DiscoveryPlan {
  const plan: DiscoveryPlan = { add: [], keep: [], seen: [], missing: [], skipped: [] };
  const knownByKey = new Map(known.map((each) => [keyOf(each), each]));
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
      const registered = knownByKey.get(key);
      if (registered === undefined) plan.add.push({ projectId, projectPath, branch });
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
 * A token that lost its access, or a group that was moved, shows as projects that are gone. Counted on all that the
 * host listed, before any pattern: what a user's own edit excludes is no loss, nor is what was missed before.
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
  const isGreat = lost > 0 && (listed.length === 0 || lost > projects.size * MAX_LOST_PART);
  if (!isGreat) return;
  throw new RepotideError(
    'conflict',
    'discovery_loss_refused',
    `GitLab listed ${listed.length} project(s), and ${lost} of the ${projects.size} known ones were not among them: ` +
      'this looks like a token that lost its access. Nothing was changed. Check the credential and the group; when ' +
      'they really are gone, run the discovery with {"force": true}.',
    { details: { projects_listed: listed.length, projects_known: projects.size, projects_lost: lost } },
  );
}

function keyOf({ projectId, branch }: Pick<Wanted, 'projectId' | 'branch'>): string {
  return `${projectId} ${branch}`;
}
