import { z } from 'zod';
import { type Push } from '@core/domain';

/** The parts of a push event that are used. Its list of commits is not, because GitLab truncates it. */
const pushSchema = z.object({
  ref: z.string().max(4096),
  after: z.string().max(64).nullish(),
  project_id: z.int().positive(),
  project: z.object({ path_with_namespace: z.string().nullish(), web_url: z.string().nullish() }).nullish(),
});

const BRANCH = 'refs/heads/';

/** A push to a branch, or the reason why an event is ignored. */
export type ReadEvent = { push: Push } | { ignored: string };

/** @param instance the host's address from the event's `X-Gitlab-Instance` header. */
export function readPushEvent(event: unknown, instance: string | undefined): ReadEvent {
  const kind = z.object({ object_kind: z.string() }).safeParse(event);
  if (!kind.success || kind.data.object_kind !== 'push') return { ignored: 'not_a_push' };
  const parsed = pushSchema.safeParse(event);
  if (!parsed.success) return { ignored: 'push_not_understood' };
  const { ref, after, project_id: projectId, project } = parsed.data;
  if (!ref.startsWith(BRANCH)) return { ignored: 'not_a_branch' };
  if (after === null || after === undefined || /^0+$/.test(after)) return { ignored: 'branch_deleted' };
  const hostUrls = [project?.web_url, instance].filter((url): url is string => typeof url === 'string');
  const projectPath = project?.path_with_namespace ?? null;
  return { push: { projectId, projectPath, hostUrls, branch: ref.slice(BRANCH.length) } };
}
