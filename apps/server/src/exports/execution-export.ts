import { type Execution } from '@core/domain';
import { ExecutionDto } from '../executions/execution.dto.js';
import { csvLine } from './csv.js';

export const EXPORT_FORMATS = ['csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

export const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
};

/** A report is no cell: it stands in the JSON. */
type Column = Exclude<keyof ExecutionDto, 'report'>;

/** In the order in which people read them; a field added to the type is a compile error until it is named here. */
const FIELDS = Object.keys({
  id: true,
  repository_id: true,
  schedule_session_id: true,
  trigger: true,
  handler: true,
  scheduled_for: true,
  status: true,
  error_code: true,
  error_message: true,
  queued_at: true,
  started_at: true,
  completed_at: true,
  duration_seconds: true,
  attempt: true,
  interruptions: true,
  pod_name: true,
  requested_by: true,
  full_sync: true,
  max_embedding_tokens: true,
  retry_of_execution_id: true,
  fetch_strategy: true,
  files_processed: true,
  files_added: true,
  files_modified: true,
  files_renamed: true,
  files_deleted: true,
  files_skipped: true,
  files_failed: true,
  chunks_upserted: true,
  chunks_deleted: true,
  embeddings_requested: true,
  embedding_tokens: true,
  embeddings_reused: true,
  source_requests: true,
  source_retries: true,
  bytes_fetched: true,
  rate_limited_seconds: true,
  from_commit: true,
  to_commit: true,
  coalesced_count: true,
  cancel_requested_at: true,
  available_at: true,
  heartbeat_at: true,
  fence: true,
} satisfies Record<Column, true>) as Column[];

/** The document piece by piece, as large as one page of rows each; nothing else is held. */
export async function* renderExport(
  pages: AsyncIterable<Execution[]>,
  format: ExportFormat,
): AsyncIterable<string> {
  if (format === 'csv') {
    // Not by itself: whoever waits for the first piece must learn whether the database answers.
    let head = csvLine(FIELDS);
    for await (const page of pages) {
      yield head + page.map(csvOf).join('');
      head = '';
    }
    if (head !== '') yield head;
    return;
  }
  let separator = '[\n';
  for await (const page of pages) {
    yield separator + page.map((row) => JSON.stringify(ExecutionDto.of(row))).join(',\n');
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

function csvOf(execution: Execution): string {
  const row = ExecutionDto.of(execution);
  return csvLine(FIELDS.map((field) => row[field]));
}
