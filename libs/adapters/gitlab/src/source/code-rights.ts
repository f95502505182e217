import { RepotideError } from '@core/domain';
import { z } from 'zod';
import { type ProjectAccess } from '../http/gitlab-http.js';
import { parseResponse } from '../http/response-schema.js';

/** Reporter: the lowest role that may read the code of every project. Roles of one's own that begin lower are not counted. */
const LEAST_ACCESS_LEVEL = 20;

const memberSchema = z.object({ access_level: z.int(), state: z.string().nullish() });
const userSchema = z.object({
  state: z.string(),
  /** GitLab shows it to administrators. */
  external: z.boolean().nullish(),
});
const projectSchema = z.object({
  visibility: z.string(),
  /** Who may read the code, among those who may see the project. */
  repository_access_level: z.string().nullish(),
});

/**
 * Whether a user may read the code of a project: as a member with at least the role Reporter, also by a group; or as anyone,
 * if the project is public; or as a user who is known not to be external, if it is internal.
 * @throws as every request of `GitLabHttp`, which proves nothing.
 */
export async function mayReadCode(
  { http, projectId, signal }: ProjectAccess,
  userId: number,
): Promise<boolean> {
  const get = async <T>(schema: z.ZodType<T>, what: string, endpoint: string): Promise<T | null> => {
    try {
      return parseResponse(schema, what, (await http.getJson(endpoint, signal)).json, http.target);
    } catch (thrown) {
      if (thrown instanceof RepotideError && thrown.code === 'source_not_found') return null;
      throw thrown;
    }
  };
  const project = await get(projectSchema, 'a project', `projects/${projectId}`);
  const feature = project?.repository_access_level ?? 'enabled';
  if (project === null || feature === 'disabled') return false;
  const user = await get(userSchema, 'a user', `users/${userId}`);
  if (user?.state !== 'active') return false;
  if (feature === 'enabled' && project.visibility === 'public') return true;
  if (feature === 'enabled' && project.visibility === 'internal' && user.external === false) return true;
  const member = await get(memberSchema, 'a member', `projects/${projectId}/members/all/${userId}`);
  return member !== null && member.access_level >= LEAST_ACCESS_LEVEL && member.state === 'active';
}
