import { type BudgetStore, type StoredBudget } from '@core/domain';
import { type Database } from '../sql/database.js';
import { notFound } from '../sql/database-error.js';
import { uuidOrNull } from '../sql/rows.js';

/** Budgets in Postgres. They are read when a run starts, so an edit applies to the next run on any pod. */
export function createBudgetStore(db: Database): BudgetStore {
  return {
    async budgetOf(executionId) {
      return (
        (await db.first<StoredBudget>(BUDGET, [uuidOrNull(executionId)])) ??
        notFound('execution', executionId)
      );
    },
  };
}

/**
 * A run that began before the last 24 hours and ended within them counts in full: stopping too early is
 * better than too late. A retry of a scheduled run uses the schedule's budget, however often it was retried.
 */
const BUDGET = `
  WITH RECURSIVE origins AS (
    SELECT id, schedule_session_id, retry_of_execution_id FROM schedule_execution_logs WHERE id = $1
    UNION SELECT o.id, o.schedule_session_id, o.retry_of_execution_id
      FROM schedule_execution_logs o JOIN origins ON o.id = origins.retry_of_execution_id)
  SELECT LEAST(e.max_embedding_tokens, s.per_run) AS max_tokens_per_run, s.per_day AS max_tokens_per_day,
    s.time_budget AS time_budget_seconds,
    CASE WHEN s.per_day IS NULL THEN 0 ELSE
      (SELECT COALESCE(sum(o.embedding_tokens), 0) FROM schedule_execution_logs o
        WHERE o.repository_id = e.repository_id AND o.id <> e.id
          AND (o.completed_at IS NULL OR o.completed_at > now() - interval '24 hours')
          AND COALESCE(o.completed_at, o.heartbeat_at, o.queued_at) > clock_timestamp() - interval '24 hours')
    END::bigint AS tokens_last_day
  FROM schedule_execution_logs e, LATERAL (
    SELECT min(max_embedding_tokens_per_run) AS per_run, min(max_embedding_tokens_per_day) AS per_day,
      COALESCE(min(NULLIF(time_budget_seconds, 0)), min(time_budget_seconds)) AS time_budget
    FROM schedule_sessions
    WHERE repository_id = e.repository_id AND (id IN (SELECT schedule_session_id FROM origins)
      OR e.trigger IN ('webhook', 'recovery') AND is_active AND deleted_at IS NULL)) s
  WHERE e.id = $1`;
