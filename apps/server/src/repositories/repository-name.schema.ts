import { shown } from '../http/fields.js';

/** Fields beside the id of a repository, so that people recognise it. */
export const REPOSITORY_NAME = {
  project_path: shown('Full path of its project.', 'group/project'),
  branch: shown('Its branch.', 'main'),
};
