import { type GitChange } from '../git/diff.js';
import { shownByGitLab } from '../git/tree.js';
import { type Answer, jsonAnswer } from '../http/answer.js';
import { commitEntity, webUrl } from './project-routes.js';
import {
  API_SCOPES,
  booleanParameter,
  commitOfRef,
  type ProjectCall,
  requiredParameter,
  type Route,
} from './route.js';

/** The limit for all patches together, per allowed file. Source: GitLab's diff_collection. */
const BYTES_PER_ALLOWED_FILE = 5 * 1024;
/** GitLab collapses a patch above this share of the limit, and drops it above the whole limit. */
const COLLAPSE_RATIO = 10;

async function compare(call: ProjectCall): Promise<Answer> {
  const { query, project } = call;
  const from = await commitOfRef(call, requiredParameter(query, 'from'), 'Ref');
  const to = await commitOfRef(call, requiredParameter(query, 'to'), 'Ref');
  const isStraight = booleanParameter(query, 'straight', false);
  const base = isStraight ? from : await project.reader.mergeBase(from, to);
  const changes = base === null ? [] : await project.reader.diff(base, to);
  const shown = truncate(changes, call.settings.diffLimits);
  const shas = await project.reader.commitsBetween(from, to);
  const commits = (await Promise.all(shas.map((sha) => project.reader.commit(sha)))).flatMap((commit) =>
    commit === null ? [] : [commitEntity(call, commit)],
  );
  return jsonAnswer(200, {
    commit: commits.at(-1) ?? null,
    commits,
    diffs: shown.map((change) => diffEntity(change, call.settings.diffLimits.maxPatchBytes)),
    // Despite its name the field means that diffs are missing.
    compare_timeout: shown.length < changes.length,
    compare_same_ref: from === to,
    web_url: `${webUrl(call)}/-/compare/${from}...${to}`,
  });
}

function truncate(
  changes: readonly GitChange[],
  limits: ProjectCall['settings']['diffLimits'],
): readonly GitChange[] {
  let lines = 0;
  let bytes = 0;
  const end = changes.findIndex(({ patch }, index) => {
    lines += patch.split('\n').length - 1;
    bytes += Buffer.byteLength(patch);
    const isTooMuch = lines > limits.maxLines || bytes > limits.maxFiles * BYTES_PER_ALLOWED_FILE;
    return index >= limits.maxFiles || isTooMuch;
  });
  return end < 0 ? changes : changes.slice(0, end);
}

function diffEntity(change: GitChange, maxPatchBytes: number): object {
  const patchBytes = Buffer.byteLength(change.patch);
  const isTooLarge = patchBytes > maxPatchBytes;
  const isCollapsed = !isTooLarge && patchBytes > maxPatchBytes / COLLAPSE_RATIO;
  return {
    diff: isTooLarge || isCollapsed ? '' : change.patch,
    collapsed: isCollapsed,
    too_large: isTooLarge,
    new_path: shownByGitLab(change.newPath),
    old_path: shownByGitLab(change.oldPath),
    a_mode: change.oldMode,
    b_mode: change.newMode,
    new_file: change.status === 'A',
    renamed_file: change.status === 'R',
    deleted_file: change.status === 'D',
    generated_file: null,
  };
}

export const compareRoutes: readonly Route[] = [
  { segments: ['repository', 'compare'], scopes: API_SCOPES, handle: compare },
];
