import { type Execution } from '@core/domain';

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
