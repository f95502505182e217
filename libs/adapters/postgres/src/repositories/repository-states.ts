import {
  type Page,
  REPOSITORY_STATES,
  type RepositoryState,
  type RepositoryStateFilter,
  type RepositoryStateName,
  type RepositoryStateSort,
  type SortedPageRequest,
} from '@core/domain';
import { SCHEDULING_IS_PAUSED } from '../settings/scheduling-gate.js';
import { type Database } from '../sql/database.js';
import { OCCUPIES_REPOSITORY } from '../sql/fence.js';
import { Conditions, type Order, orderByAlways, orderByMaybe, orderOf } from '../sql/page.js';
import { withIndex } from './repository-rows.js';

/** A tick that is due for so long, and a run that has waited so long for a worker, will not start by itself soon. */
const PATIENCE = `interval '10 min'`;

/** The states with the conditions that make them, most urgent first. The last one is what remains. */
const CONDITIONS: Readonly<Record<RepositoryStateName, string>> = {
  failing: `o.status = 'failed' AND NOT COALESCE(live.is_retry, false)`,
  retrying: 'live.is_retry',
  drifting: 'i.lost_since IS NOT NULL OR i.last_drift IS NOT NULL',
  missing: 'r.missing_since IS NOT NULL',
  incomplete: `o.status = 'partial'`,
  stale: `s.next_run_at < clock_timestamp() - ${PATIENCE} OR s.active > 0 AND o.missed_at > COALESCE(o.ended_at, '-infinity')`,
  waiting: `live.status = 'queued' AND (live.available_at > clock_timestamp() OR live.due_at < clock_timestamp() - ${PATIENCE})`,
  running: `live.status = 'running'`,
  queued: `live.status = 'queued'`,
  new: 'i.last_sync_at IS NULL',
  paused: 's.total > 0 AND s.active = 0',
  synced: 'true',
};

const STATE = `CASE ${REPOSITORY_STATES.map((state) => `WHEN ${CONDITIONS[state]} THEN '${state}'`).join(' ')} END`;

/** For a statement about some repositories, whose ids are its first value: each part reads only what is theirs. */
const OF_THESE = 'repository_id = ANY($1::uuid[])';

/** Runs that have not ended are few, and each repository has one that counts. */
const liveOf = (which: string): string => `
  SELECT DISTINCT ON (repository_id) id, repository_id, status, queued_at, available_at, error_code, error_message,
    GREATEST(queued_at, available_at) AS due_at,
    -- A rate limit is no failure of the repository.
    status = 'queued' AND failures > 0 AND available_at > clock_timestamp()
      AND COALESCE(error_code, '') NOT LIKE '%rate_limited' AS is_retry
  FROM schedule_execution_logs WHERE completed_at IS NULL AND ${OCCUPIES_REPOSITORY} AND ${which}
  ORDER BY repository_id, status = 'running' DESC, queued_at`;

const schedulesOf = (which: string): string => `
  SELECT repository_id, min(next_run_at) AS next_run_at, count(*) AS total, count(*) FILTER (WHERE is_active) AS active
  FROM schedule_sessions WHERE deleted_at IS NULL AND ${which} GROUP BY repository_id`;

/** One row for each repository, whatever the number of runs. The root folder's path is short, so it is in the parent table. */
const statesOf = (
  which: string,
): string => `(SELECT r.id AS repository_id, r.project_path, r.branch, r.base_url, r.created_at, r.missing_since,
    i.last_synced_commit, i.last_sync_at, i.lost_since, i.last_drift,
    o.execution_id AS last_execution_id, o.status AS last_status, o.error_code AS last_error_code,
    o.error_message AS last_error_message, o.ended_at AS last_ended_at, o.duration_seconds AS last_duration_seconds,
    o.missed_at, live.id AS live_execution_id, live.status AS live_status, live.queued_at AS live_queued_at,
    live.error_code AS live_error_code, live.error_message AS live_error_message, live.available_at,
    s.next_run_at, COALESCE(s.total, 0) AS schedule_count, COALESCE(s.active, 0) AS active_schedule_count,
    COALESCE(f.file_count, 0) AS file_count, COALESCE(f.indexed_file_count, 0) AS indexed_file_count,
    COALESCE(f.size_bytes, 0) AS size_bytes, COALESCE(f.chunk_count, 0) AS chunk_count, ${STATE} AS state
  FROM ${withIndex('repositories')}
    LEFT JOIN ONLY repository_folders f ON f.repository_id = r.id AND f.generation_id = g.id AND f.path = ''
    LEFT JOIN repository_outcomes o ON o.repository_id = r.id
    LEFT JOIN (${liveOf(which)}) live ON live.repository_id = r.id
    LEFT JOIN (${schedulesOf(which)}) s ON s.repository_id = r.id
  WHERE r.deleted_at IS NULL AND ${which.replace('repository_id', 'r.id')}) AS state`;

const SORTS: Record<RepositoryStateSort, Order> = {
  state: orderByAlways(`array_position(ARRAY['${REPOSITORY_STATES.join("', '")}'], state)`),
  project_path: orderByAlways('project_path'),
  last_sync_at: orderByMaybe('last_sync_at'),
  next_run_at: orderByMaybe('next_run_at'),
  last_ended_at: orderByMaybe('last_ended_at'),
  chunk_count: orderByAlways('chunk_count'),
};

interface Gate {
  isSchedulingPaused: boolean;
  /** The time on the database's clock. */
  readAt: Date;
}
const GATE = `SELECT ${SCHEDULING_IS_PAUSED} AS is_scheduling_paused, clock_timestamp() AS read_at`;

/** A page of repositories, and how many are in each state under the other filters. */
export interface RepositoryStatePage extends Page<RepositoryState>, Gate {
  counts: Record<RepositoryStateName, number>;
}

/** What the state of each repository is, computed from its row, its last outcome, its live run and its schedules. */
export class RepositoryStates {
  constructor(private readonly db: Database) {}

  /** Most urgent first by default. */
  async list(
    filter: RepositoryStateFilter,
    { limit, offset, sort = 'state' }: SortedPageRequest<RepositoryStateSort>,
  ): Promise<RepositoryStatePage> {
    const order = orderOf(sort, SORTS, 'repository_id');
    const [counts, ids, gate] = await Promise.all([
      this.count({ ...filter, states: undefined }),
      this.idsOf(filter, order, limit, offset),
      this.db.first<Gate>(GATE),
    ]);
    const total = (filter.states ?? REPOSITORY_STATES).reduce((sum, state) => sum + counts[state], 0);
    const items =
      ids.length === 0
        ? []
        : await this.db.query<RepositoryState>(`SELECT * FROM ${statesOf(OF_THESE)} ORDER BY ${order}`, [
            ids,
          ]);
    return { items, total, counts, ...gate! };
  }

  private async count(filter: RepositoryStateFilter): Promise<Record<RepositoryStateName, number>> {
    const { from, where } = selectionOf(filter);
    const rows = await this.db.query<{ state: RepositoryStateName; count: number }>(
      `SELECT state, count(*) AS count FROM ${from} WHERE ${where.sql} GROUP BY state`,
      where.values,
    );
    const none = Object.fromEntries(REPOSITORY_STATES.map((state) => [state, 0]));
    const found = Object.fromEntries(rows.map(({ state, count }) => [state, count]));
    return { ...none, ...found } as Record<RepositoryStateName, number>;
  }

  /** One page. PostgreSQL leaves out the joins that neither condition nor order needs: the folders of all repositories are many. */
  private async idsOf(
    filter: RepositoryStateFilter,
    order: string,
    limit: number,
    offset: number,
  ): Promise<string[]> {
    const { from, where } = selectionOf(filter);
    const next = where.values.length + 1;
    const rows = await this.db.query<{ repositoryId: string }>(
      `SELECT repository_id FROM ${from} WHERE ${where.sql} ORDER BY ${order} LIMIT $${next} OFFSET $${next + 1}`,
      [...where.values, limit, offset],
    );
    return rows.map(({ repositoryId }) => repositoryId);
  }
}

function selectionOf(filter: RepositoryStateFilter): { from: string; where: Conditions } {
  return { from: statesOf(filter.ids === undefined ? 'true' : OF_THESE), where: conditionsOf(filter) };
}

/** The ids come first; see {@link OF_THESE}. */
function conditionsOf({ visible, ids, states, pathPart, group }: RepositoryStateFilter): Conditions {
  return new Conditions()
    .add('repository_id = ANY(?::uuid[])', ids)
    .add('repository_id = ANY(?::uuid[])', visible ?? undefined)
    .add('state = ANY(?)', states)
    .add('position(lower(?) IN lower(project_path)) > 0', pathPart)
    .add(`starts_with(lower(project_path), lower(?) || '/')`, group?.replace(/^\/+|\/+$/g, ''));
}
