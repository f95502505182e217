import {
  type Execution,
  type FailureBreakdown,
  type List,
  type Summary,
  type Timeline,
} from '../api/answers.js';
import { readersZone } from '../parts/format.js';
import { type Api, withQuery } from '../api/api.js';

const RUNS_SHOWN = 60;
const DAY_MS = 86_400_000;

/** What the service tells of a time. */
export interface Past {
  summary: Summary;
  timeline: Timeline;
  failures: FailureBreakdown;
  /** Newest first. */
  runs: Execution[];
}

export async function loadPast(
  api: Api,
  days: number,
  repository_id: string | undefined,
  signal: AbortSignal,
): Promise<Past> {
  const timezone = readersZone();
  const from = new Date(Date.now() - days * DAY_MS).toISOString();
  const ask = <T>(path: string, more: Record<string, string | number> = {}): Promise<T> =>
    api.get<T>(withQuery(`api/v1/${path}`, { from, repository_id, ...more }), signal);
  const [summary, timeline, failures, runs] = await Promise.all([
    ask<Summary>('history/summary'),
    ask<Timeline>('history/timeline', { timezone }),
    ask<FailureBreakdown>('history/failures', { timezone, limit: 10 }),
    ask<List<Execution>>('executions', { limit: RUNS_SHOWN }),
  ]);
  return { summary, timeline, failures, runs: runs.items };
}
