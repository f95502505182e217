import { type Comparison, type PathChange } from '@core/domain';
import { z } from 'zod';
import { type GitLabHttp } from './gitlab-http.js';
import { shaped } from './shapes.js';

const SUBMODULE_MODE = '160000';

const diffShape = z.object({
  old_path: z.string().min(1),
  new_path: z.string().min(1),
  b_mode: z.string(),
  renamed_file: z.boolean(),
  deleted_file: z.boolean(),
  diff: z.string().nullish(),
});
const comparisonShape = z.object({
  diffs: z.array(diffShape),
  // Its name says timeout; it is set when changes were left out of a 200 answer.
  compare_timeout: z.boolean().nullish(),
});

/** `straight`: the default compares with the merge base, and after a force push hides what the old side had. */
export async function fetchComparison(
  http: GitLabHttp,
  projectId: number,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<Comparison> {
  const query = new URLSearchParams({ from, to, straight: 'true' }).toString();
  const endpoint = `projects/${projectId}/repository/compare?${query}`;
  const { json } = await http.getJson(endpoint, signal, { once: true });
  const { diffs, compare_timeout } = shaped(comparisonShape, 'a comparison', json, http.counterpart);
  return { changes: diffs.flatMap(changesOf), isComplete: compare_timeout === false };
}

function changesOf(diff: z.infer<typeof diffShape>): PathChange[] {
  if (diff.deleted_file) return [{ kind: 'gone', path: diff.old_path }];
  const commit = diff.b_mode === SUBMODULE_MODE ? submoduleCommit(diff.diff ?? '') : null;
  const present: PathChange = { kind: 'present', path: diff.new_path, mode: diff.b_mode, commit };
  return diff.renamed_file ? [{ kind: 'gone', path: diff.old_path }, present] : [present];
}

function submoduleCommit(patch: string): string | null {
  return /^\+Subproject commit ([0-9a-f]{40}|[0-9a-f]{64})$/m.exec(patch)?.[1] ?? null;
}
