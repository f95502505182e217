import { pathOfText, type Comparison, type PathChange } from '@core/domain';
import { z } from 'zod';
import { parseResponse } from '../http/response-schema.js';
import { type ProjectAccess } from '../http/gitlab-http.js';

const SUBMODULE_MODE = '160000';

const diffSchema = z.object({
  old_path: z.string().transform(pathOfText),
  new_path: z.string().transform(pathOfText),
  b_mode: z.string(),
  renamed_file: z.boolean(),
  deleted_file: z.boolean(),
  diff: z.string().nullish(),
});
const comparisonSchema = z.object({
  diffs: z.array(diffSchema),
  // Despite its name, GitLab sets it when a 200 response lacks changes.
  compare_timeout: z.boolean().nullish(),
});

/** `straight`: by default GitLab compares with the merge base, which hides changes of the old side after a force push. */
export async function fetchComparison(
  { http, projectId, signal }: ProjectAccess,
  from: string,
  to: string,
): Promise<Comparison> {
  const query = new URLSearchParams({ from, to, straight: 'true' }).toString();
  const endpoint = `projects/${projectId}/repository/compare?${query}`;
  const { json } = await http.getJson(endpoint, signal, { hasFallback: true });
  const { diffs, compare_timeout } = parseResponse(comparisonSchema, 'a comparison', json, http.target);
  return { changes: diffs.flatMap(changesOf), isComplete: compare_timeout === false };
}

function changesOf(diff: z.infer<typeof diffSchema>): PathChange[] {
  if (diff.deleted_file) return [{ kind: 'removed', path: diff.old_path }];
  const commit = diff.b_mode === SUBMODULE_MODE ? submoduleCommit(diff.diff ?? '') : null;
  const present: PathChange = { kind: 'present', path: diff.new_path, mode: diff.b_mode, commit };
  return diff.renamed_file ? [{ kind: 'removed', path: diff.old_path }, present] : [present];
}

function submoduleCommit(patch: string): string | null {
  return /^\+Subproject commit ([0-9a-f]{40}|[0-9a-f]{64})$/m.exec(patch)?.[1] ?? null;
}
