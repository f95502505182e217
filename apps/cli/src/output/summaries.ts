import { type DryRunReport, type PathSample } from '@core/domain';
import { type Schemas } from '../service/client.js';

/** Two lines about an execution, for people. */
export function summarize(execution: Schemas['ExecutionDto']): string {
  const e = execution;
  const files = [
    `${e.files_added} added`,
    `${e.files_modified} modified`,
    `${e.files_renamed} renamed`,
    `${e.files_deleted} deleted`,
    `${e.files_skipped} skipped`,
    `${e.files_failed} failed`,
  ];
  const work = [
    `${e.chunks_upserted} chunks stored`,
    `${e.chunks_deleted} removed`,
    `${e.embeddings_requested} embedded`,
    `${e.embeddings_reused} reused`,
    `${e.source_requests} GitLab request${e.source_requests === 1 ? '' : 's'}${e.fetch_strategy === null ? '' : ` (${e.fetch_strategy})`}`,
    formatBytes(e.bytes_fetched),
    ...(e.rate_limited_seconds > 0 ? [`${e.rate_limited_seconds} s waited for limits`] : []),
  ];
  const error = e.error_code ? `\n  ${e.error_code}: ${e.error_message ?? ''}` : '';
  return (
    `${e.status} in ${formatSeconds(e.duration_seconds)}${e.to_commit ? ` at ${e.to_commit.slice(0, 12)}` : ''}\n` +
    `  files:  ${files.join(', ')}\n  work:   ${work.join(', ')}${error}`
  );
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export function formatSeconds(seconds: number | null): string {
  return seconds === null ? '-' : `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

const SHOWN_PATHS = 5;

/** A few lines about a plan, for people; `~` marks estimates. */
export function describePlan(plan: DryRunReport): string {
  if (plan.is_in_sync) {
    return `nothing to do, the index equals ${plan.to_commit.slice(0, 12)} (${plan.plan_requests} request(s))`;
  }
  const mark = (name: keyof DryRunReport['certainty']): string =>
    plan.certainty[name] === 'estimated' ? '~' : '';
  const way = plan.fetch_way === null ? 'no content to read' : `content by ${plan.fetch_way}`;
  return [
    `a sync would bring the index from ${plan.from_commit?.slice(0, 12) ?? 'nothing'} to ${plan.to_commit.slice(0, 12)}`,
    `  read and embed  ${filesOf(plan.fetched)}`,
    `  copy            ${filesOf(plan.copied)}`,
    `  delete          ${filesOf(plan.deleted)}`,
    `  leave out       ${filesOf(plan.skipped)}`,
    `  GitLab          ${plan.plan_requests} request(s) to plan, ${mark('fetch_requests')}${plan.fetch_requests} for ${mark('bytes_fetched')}${formatBytes(plan.bytes_fetched)}; ${way}`,
    `  chunks          ${mark('chunks_embedded')}${plan.chunks_embedded} to embed, ${plan.chunks_copied} copied, ${mark('chunks_deleted')}${plan.chunks_deleted} deleted`,
    `  embedding       ${mark('embedding_tokens')}${plan.embedding_tokens} tokens, less what is in the embedding cache`,
    `  ~ estimated from ${plan.estimated_from}`,
    ...plan.warnings.map(
      ({ path, line, message }) => `  warning         ${path}${line === null ? '' : `:${line}`}: ${message}`,
    ),
  ].join('\n');
}

function filesOf({ files, first_paths: paths }: PathSample): string {
  if (files === 0) return '0 files';
  const shown = paths.slice(0, SHOWN_PATHS).join(', ');
  return `${files} file(s): ${shown}${files > SHOWN_PATHS ? ', ...' : ''}`;
}
