import { type Execution } from '@core/domain';
import { formatSeconds } from './summaries.js';

const COLUMNS = [
  'queued at',
  'trigger',
  'status',
  'try',
  'files',
  'chunks +/-',
  'embedded',
  'reused',
  'requests',
  'took',
];

/**
 * Prints executions as an aligned table on standard output.
 * @param projects paths by repository id, if the executions belong to several repositories.
 */
export function printExecutions(
  executions: readonly Execution[],
  projects?: ReadonlyMap<string, string>,
): void {
  const isWhyShown = executions.some((execution) => execution.errorCode !== null);
  printTable(
    [...(projects ? ['project'] : []), ...COLUMNS, ...(isWhyShown ? ['why'] : [])],
    executions.map((e) => [
      ...(projects ? [projects.get(e.repositoryId) ?? '(deleted)'] : []),
      e.queuedAt.toISOString().slice(0, 19).replace('T', ' '),
      e.trigger,
      e.status,
      e.attempt,
      e.filesProcessed,
      `${e.chunksUpserted}/${e.chunksDeleted}`,
      e.embeddingsRequested,
      e.embeddingsReused,
      e.sourceRequests,
      formatSeconds(e.durationSeconds),
      ...(isWhyShown ? [e.errorCode ?? ''] : []),
    ]),
  );
}

export function printTable(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): void {
  const cells = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  for (const row of cells) {
    const line = row.map((cell, column) => cell.padEnd(widths[column]!)).join('  ');
    process.stdout.write(`  ${line.trimEnd()}\n`);
  }
}
