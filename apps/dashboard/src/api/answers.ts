/** The fields of the API's answers that the dashboard reads. `docs/openapi.json` describes them. */

export const OUTCOMES = ['completed', 'partial', 'failed', 'missed', 'cancelled', 'skipped'] as const;
export const STATUSES = ['queued', 'running', ...OUTCOMES] as const;
export const TRIGGERS = ['cron', 'manual', 'webhook', 'recovery'] as const;

export type Outcome = (typeof OUTCOMES)[number];
export type Status = (typeof STATUSES)[number];
export type Role = 'viewer' | 'operator' | 'admin';

export interface List<T> {
  items: T[];
  total: number;
}

export interface Repository {
  id: string;
  project_path: string;
  branch: string;
  collection_name: string;
  last_synced_commit: string | null;
  last_sync_at: string | null;
  deleted_at: string | null;
}

export interface Schedule {
  id: string;
  repository_id: string;
  cron_expression: string;
  timezone: string;
  is_active: boolean;
  next_run_at: string | null;
}

export interface Execution {
  id: string;
  repository_id: string;
  trigger: (typeof TRIGGERS)[number];
  handler: string;
  scheduled_for: string | null;
  status: Status;
  attempt: number;
  pod_name: string | null;
  requested_by: string | null;
  full_sync: boolean;
  queued_at: string;
  available_at: string | null;
  started_at: string | null;
  heartbeat_at: string | null;
  completed_at: string | null;
  duration_seconds: number | null;
  files_processed: number;
  files_added: number;
  files_modified: number;
  files_renamed: number;
  files_deleted: number;
  files_skipped: number;
  files_failed: number;
  chunks_upserted: number;
  chunks_deleted: number;
  embeddings_requested: number;
  embeddings_reused: number;
  source_requests: number;
  source_retries: number;
  bytes_fetched: number;
  rate_limited_seconds: number;
  from_commit: string | null;
  to_commit: string | null;
  coalesced_count: number;
  cancel_requested_at: string | null;
  error_code: string | null;
  error_message: string | null;
  /** The ended execution that this one does again. */
  retry_of_execution_id: string | null;
  report: RunReport | null;
}

/** How many, and the first of them. */
export interface PathSample {
  files: number;
  first_paths: string[];
}

export interface DryRunReport {
  kind: 'dry_run';
  to_commit: string;
  is_in_sync: boolean;
  fetched: PathSample;
  copied: PathSample;
  deleted: PathSample;
  skipped: PathSample;
  plan_requests: number;
  fetch_requests: number;
  bytes_fetched: number;
  chunks_embedded: number;
  chunks_copied: number;
  chunks_deleted: number;
  embedding_tokens: number;
  embedding_cost: number | null;
  certainty: Partial<Record<string, 'exact' | 'estimated'>>;
  estimated_from: string;
}

export interface IndexCheck {
  commit: string | null;
  is_equal: boolean;
  files_checked: number;
  points_checked: number;
  files_missing: PathSample;
  files_stale: PathSample;
  files_extra: PathSample;
  files_failed: PathSample;
  points_missing: number;
  points_stale: number;
  points_doubled: number;
  points_changed: number;
  points_in: PathSample;
}

export interface VerifyReport extends IndexCheck {
  kind: 'verify';
  after_repair: IndexCheck | null;
}

export type RunReport = DryRunReport | VerifyReport;

export interface Progress {
  task_id: string;
  status: string;
  progress: number;
  total_steps: number;
  current_step_number: number;
  message: string;
  error: string | null;
  repository_path: string;
  branch: string;
  total_files: number;
  processed_files: number;
  current_file: string | null;
  failed_files: number;
}

export interface ExecutionFile {
  path: string;
  status: 'failed' | 'skipped';
  error_code: string;
  message: string | null;
}

export interface Summary {
  total_runs: number;
  runs: Record<Status, number>;
  success_rate: number | null;
  durations: {
    mean_seconds: number | null;
    p50_seconds: number | null;
    p95_seconds: number | null;
    max_seconds: number | null;
  };
}

export interface TimelineBucket {
  start: string;
  runs: Record<Outcome, number>;
  totals: { files_processed: number; files_failed: number; chunks_upserted: number; chunks_deleted: number };
}

export interface Timeline {
  bucket: 'hour' | 'day' | 'week';
  buckets: TimelineBucket[];
}

export interface FailureCounts {
  failures: number;
  failed: number;
  partial: number;
  missed: number;
}

export interface FailureBreakdown {
  total: FailureCounts;
  by_hour: (FailureCounts & { hour: number })[];
  by_repository: (FailureCounts & { repository_id: string; project_path: string; branch: string })[];
  by_error_code: (FailureCounts & { error_code: string | null })[];
}

export interface SearchHit {
  repository_id: string;
  project_path: string;
  branch: string;
  path: string;
  start_line: number;
  end_line: number;
  language: string | null;
  commit: string;
  score: number;
  text: string;
}

export interface Lock {
  repository_id: string;
  project_path: string | null;
  branch: string | null;
  pod_name: string;
  execution_id: string;
  fence: number;
  held_since: string | null;
  expires_at: string | null;
  heartbeat_at: string | null;
}

export interface Pod {
  pod_name: string;
  boot_id: string;
  roles: string[];
  version: string;
  is_leader: boolean;
  is_alive: boolean;
  started_at: string;
  seen_at: string;
}

export interface ClusterState {
  mode: 'standalone' | 'distributed';
  version: string;
  leader: string | null;
  queue_depth: number | null;
  pods: Pod[];
}

export interface Generation {
  id: string;
  physical_name: string;
  model_id: string;
  activated_at: string | null;
}

export interface Collection {
  name: string;
  active: Generation | null;
  building:
    (Generation & { repositories_done: number; repositories_total: number; files_failed: number }) | null;
  retired: (Generation & { drop_at: string })[];
}

export interface Discovery {
  id: string;
  name: string;
  base_url: string;
  /** Null: the whole host. */
  group_path: string | null;
  is_active: boolean;
  next_run_at: string | null;
}

export interface DiscoveryRun {
  status: Status;
  queued_at: string;
  projects_listed: number;
  added: number;
  missing: number;
  error_message: string | null;
}
