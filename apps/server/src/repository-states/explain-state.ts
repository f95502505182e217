import { type RepositoryState } from '@core/domain';

/** When the state was read, on the database's clock, and whether any tick may run. */
export interface Circumstances {
  readAt: Date;
  isSchedulingPaused: boolean;
}

/** Why a repository is in its state, since when, until when, and what to do about it. Null: not known, or nothing. */
export interface StateExplanation {
  reason: string | null;
  remedy: string | null;
  since: Date | null;
  until: Date | null;
  errorCode: string | null;
}

const NOTHING: StateExplanation = { reason: null, remedy: null, since: null, until: null, errorCode: null };

const NEW_TOKEN = 'Give the credential a new token, or change GITLAB_TOKEN; then retry.';
const WAIT = 'It is tried again by itself; look at the host if this lasts.';

/** What a person does about an error. The error's message says what was found. */
const REMEDIES: Readonly<Record<string, string>> = {
  source_token_rejected: NEW_TOKEN,
  source_token_scope: 'Give the credential a token with read_api; then retry.',
  source_access_denied:
    "Let the token's user read the code, or give the repository another credential; then retry.",
  source_not_found:
    'If the project was removed, remove the repository; else let the token see it, and retry.',
  project_not_found:
    'If the project was removed, remove the repository; else let the token see it, and retry.',
  branch_not_found: "Change the branch in the repository's settings.",
  branch_deleted: "Change the branch in the repository's settings.",
  repository_empty: 'Push a branch; the next run indexes it.',
  credential_unavailable: 'Give the credential a new secret; then retry.',
  credential_needs_login: 'Log in again, and give the credential the new grant.',
  source_unavailable: WAIT,
  embedding_unavailable: 'Check that the embedding server answers; then retry.',
  embedding_rejected: 'Check EMBEDDING_API_KEY and EMBEDDING_MODEL; then retry.',
  files_failed: 'The next run tries these files again; the run lists them with their reasons.',
  budget_reached: 'The next run continues; raise the budget of the schedule if this lasts.',
  time_budget_reached: 'The next run continues; raise the budget of the schedule if this lasts.',
  run_interrupted: 'Look at why the pods were lost; the next run continues from what is stored.',
};

/** @returns one sentence for each of reason and remedy, for people. */
export function explainState(row: RepositoryState, now: Circumstances): StateExplanation {
  switch (row.state) {
    case 'failing':
    case 'incomplete':
      return afterEnd(row);
    case 'retrying':
      return {
        reason: row.liveErrorMessage ?? 'The last attempt failed.',
        remedy: remedyOf(row.liveErrorCode, WAIT),
        since: row.liveQueuedAt,
        until: row.availableAt,
        errorCode: row.liveErrorCode,
      };
    case 'waiting':
      return { ...waitingFor(row, now), since: row.liveQueuedAt };
    case 'queued':
      return { ...NOTHING, reason: 'Waits for a free worker.', since: row.liveQueuedAt };
    case 'drifting':
      return drifting(row);
    case 'missing':
      return {
        ...NOTHING,
        reason: 'Its discovery does not find the project any more.',
        remedy:
          'If it was not removed, let the token of the discovery see it; else it is removed after the grace.',
        since: row.missingSince,
      };
    case 'stale':
      return stale(row, now);
    case 'new':
      return {
        ...NOTHING,
        reason: 'It was never synced.',
        remedy: row.scheduleCount === 0 ? 'Sync it, or give it a schedule.' : null,
        since: row.createdAt,
        until: row.nextRunAt,
      };
    case 'paused':
      return {
        ...NOTHING,
        reason: 'Its schedules are paused.',
        remedy: 'Resume a schedule to sync it again.',
      };
    case 'running':
    case 'synced':
      return { ...NOTHING, until: row.nextRunAt };
  }
}

function afterEnd(row: RepositoryState): StateExplanation {
  const { state, lastErrorCode, lastErrorMessage, lastEndedAt, nextRunAt } = row;
  const otherwise =
    state === 'failing' ? 'The run shows the cause; remove it, and retry.' : 'The next run continues.';
  return {
    reason:
      lastErrorMessage ?? (state === 'failing' ? 'The last run failed.' : 'The last run ended partially.'),
    remedy: remedyOf(lastErrorCode, otherwise),
    since: lastEndedAt,
    until: nextRunAt,
    errorCode: lastErrorCode,
  };
}

function waitingFor(row: RepositoryState, { readAt }: Circumstances): StateExplanation {
  const { availableAt, liveErrorCode: errorCode, liveErrorMessage } = row;
  if (availableAt === null || availableAt <= readAt) {
    const remedy = 'Raise WORKER_CONCURRENCY or the number of pods if this lasts.';
    return { ...NOTHING, reason: 'It has waited for a free worker for more than ten minutes.', remedy };
  }
  const reason = liveErrorMessage ?? 'It waits a moment for more pushes.';
  const remedy = errorCode?.endsWith('rate_limited') ? 'It starts by itself when the limit ends.' : null;
  return { ...NOTHING, reason, remedy, errorCode, until: availableAt };
}

function drifting({ lostSince, lastDrift, nextRunAt }: RepositoryState): StateExplanation {
  if (lostSince !== null) {
    const reason = 'Its collection is missing or was replaced, so searches find nothing.';
    return { ...NOTHING, reason, remedy: 'A run restores it.', since: lostSince, until: nextRunAt };
  }
  const { files = 0, points = 0 } = lastDrift ?? {};
  const reason = `${files} files and ${points} points of the index differ from the tree.`;
  return { ...NOTHING, reason, remedy: 'Verify with repair.', until: nextRunAt };
}

function stale(
  { nextRunAt, missedAt }: RepositoryState,
  { isSchedulingPaused, readAt }: Circumstances,
): StateExplanation {
  if (isSchedulingPaused) {
    const remedy = 'Set scheduling_paused to false in the settings.';
    return { ...NOTHING, reason: 'All scheduling is paused.', remedy, since: nextRunAt };
  }
  if (nextRunAt !== null && nextRunAt < readAt) {
    const remedy = 'Check that a pod with the role scheduler runs.';
    return { ...NOTHING, reason: 'A tick is due, and no pod has started it.', remedy, since: nextRunAt };
  }
  const reason = 'A tick was missed: no pod started it in time.';
  return {
    ...NOTHING,
    reason,
    remedy: 'The next tick syncs it; or sync it now.',
    since: missedAt,
    until: nextRunAt,
  };
}

function remedyOf(errorCode: string | null, otherwise: string): string {
  return REMEDIES[errorCode ?? ''] ?? otherwise;
}
