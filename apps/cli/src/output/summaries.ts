import { type Execution, type DryRunReport, type PathSample, type IndexCheck } from '@core/domain';
import { describeDifferences } from '@core/indexing';

/** Two lines about an execution, for people. */
export function summarize(execution: Execution): string {
  const e = execution;
  const files = [
    `${e.filesAdded} added`,
    `${e.filesModified} modified`,
    `${e.filesRenamed} renamed`,
    `${e.filesDeleted} deleted`,
    `${e.filesSkipped} skipped`,
    `${e.filesFailed} failed`,
  ];
  const work = [
    `${e.chunksUpserted} chunks stored`,
    `${e.chunksDeleted} removed`,
    `${e.embeddingsRequested} embedded`,
    `${e.embeddingsReused} reused`,
    `${e.sourceRequests} GitLab request${e.sourceRequests === 1 ? '' : 's'}${e.fetchStrategy === null ? '' : ` (${e.fetchStrategy})`}`,
    formatBytes(e.bytesFetched),
    ...(e.rateLimitedSeconds > 0 ? [`${e.rateLimitedSeconds} s waited for limits`] : []),
  ];
  const error = e.errorCode ? `\n  ${e.errorCode}: ${e.errorMessage ?? ''}` : '';
  return (
    `${e.status} in ${formatSeconds(e.durationSeconds)}${e.toCommit ? ` at ${e.toCommit.slice(0, 12)}` : ''}\n` +
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

/** One or two lines about a verify or repair, for people. */
export function describeVerify({ report, status, errorCode, errorMessage }: Execution): string {
  if (report?.kind !== 'verify') return `${status}: ${errorCode ?? ''} ${errorMessage ?? ''}`.trimEnd();
  if (report.is_equal) return `equal to the tree at ${atOf(report)}`;
  const found = `unlike the tree at ${atOf(report)}: ${describeDifferences(report)}${pathsOf(report)}`;
  const after = report.after_repair;
  if (after === null) return found;
  return after.is_equal
    ? `${found}\n  repaired: equal to the tree at ${atOf(after)}`
    : `${found}\n  not repaired: ${describeDifferences(after)}`;
}

function atOf({ commit, files_checked: files, points_checked: points }: IndexCheck): string {
  return `${commit?.slice(0, 12) ?? 'no commit yet'} (${files} files, ${points} points)`;
}

function pathsOf(state: IndexCheck): string {
  const { files_missing, files_stale, files_extra, files_failed, points_in } = state;
  const samples = [files_missing, files_stale, files_extra, files_failed, points_in];
  const paths = [...new Set(samples.flatMap(({ first_paths }) => first_paths))].slice(0, 5);
  return paths.length === 0 ? '' : `\n  first in ${paths.join(', ')}`;
}
