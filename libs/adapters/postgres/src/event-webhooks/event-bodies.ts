import { type EventType, isInScope, RUN_COUNTER_NAMES, type Scope } from '@core/domain';
import { columnName } from '../sql/rows.js';

/** An `event_outbox` row with its repository. */
export interface OutboxEvent {
  type: EventType;
  occurredAt: Date;
  /** The columns of the row that changed. */
  data: Readonly<Record<string, unknown>>;
  repositoryId: string;
  projectPath: string;
  baseUrl: string;
  branch: string;
}

/** What a webhook wants. */
export interface Subscription {
  id: string;
  events: EventType[];
  scope: Scope;
}

const RUN_FIELDS = [
  ...['status', 'handler', 'trigger', 'attempt', 'from_commit', 'to_commit', 'error_code', 'error_message'],
  ...['queued_at', 'started_at', 'completed_at', 'duration_seconds'],
  ...RUN_COUNTER_NAMES.map(columnName),
];
const OUTCOME_FIELDS = ['execution_id', 'status', 'error_code', 'error_message', 'ended_at'];

/** The fields of each event beside those of its repository, and the columns that they come from. */
const FIELDS: Readonly<Record<EventType, readonly (readonly [field: string, column: string])[]>> = {
  'run.finished': [['execution_id', 'id'], ...same(RUN_FIELDS)],
  'repository.failing': same(OUTCOME_FIELDS),
  'repository.recovered': same(OUTCOME_FIELDS),
  'index.drifted': same(['files', 'points']),
  'index.lost': [],
};

function same(names: readonly string[]): (readonly [string, string])[] {
  return names.map((name) => [name, name] as const);
}

export function isWantedBy({ events, scope }: Subscription, event: OutboxEvent): boolean {
  return events.includes(event.type) && isInScope(scope, event);
}

/** The JSON of an event: type, time and data, as the Standard Webhooks specification names them. */
export function bodyOf(event: OutboxEvent): string {
  const { type, occurredAt, data, repositoryId, projectPath, baseUrl, branch } = event;
  const own = FIELDS[type].map(([field, column]) => [field, inUtc(field, data[column] ?? null)]);
  return JSON.stringify({
    type,
    timestamp: occurredAt.toISOString(),
    data: {
      repository_id: repositoryId,
      project_path: projectPath,
      base_url: baseUrl,
      branch,
      ...(Object.fromEntries(own) as Record<string, unknown>),
    },
  });
}

/** Postgres writes instants into JSON with the offset of the session. */
function inUtc(field: string, value: unknown): unknown {
  return field.endsWith('_at') && typeof value === 'string' ? new Date(value).toISOString() : value;
}
