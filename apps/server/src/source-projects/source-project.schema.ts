import { z } from 'zod';
import { count, flag, shown, text } from '../http/fields.js';
import { model, query } from '../http/model.js';
import { idFilter, PAGE } from '../http/queries.js';
import { baseUrl } from '../repositories/repository.schema.js';

export const SourceProjectQueryDto = query({
  ...PAGE,
  base_url: baseUrl('Address of the GitLab host, with its path prefix if it has one. Default: `GITLAB_URL`.'),
  credential_id: idFilter('The stored credential to ask with. Default: the token of the environment.'),
  group: text(
    1000,
    'Only projects of this group and its subgroups. Default: projects that the token is a member of.',
    { example: 'platform' },
  ).optional(),
  search: text(1000, 'Only projects and groups whose path contains this, in upper or lower case.', {
    example: 'payment',
  }).optional(),
});

/** A project that the host shows to the token. */
export const SourceProjectDto = model('SourceProjectDto', {
  project_id: count('Its numeric id.', 42),
  project_path: shown('Its full path.', 'platform/billing'),
  default_branch: shown('Its default branch; null: the token may not read the code.', 'main').nullable(),
  is_registered: flag('A repository of it is registered, at any branch.', false),
});
const SourceGroupDto = model('SourceGroupDto', {
  group_path: shown('Its full path.', 'platform'),
  project_count: count('Projects in it and in its subgroups.', 12),
});
export const SourceProjectListDto = model('SourceProjectListDto', {
  items: z.array(SourceProjectDto),
  total: count('How many projects match, on all pages.', 1),
  groups: z.array(SourceGroupDto).meta({ description: 'The first `limit` groups of all projects, by path.' }),
  group_total: count('How many groups match.', 1),
});
