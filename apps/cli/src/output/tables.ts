import { type Schemas } from '../service/client.js';
import { nameOf } from '../service/repositories.js';
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

interface ExecutionColumns {
  /** Where the executions belong to several repositories. */
  isProjectShown?: boolean;
  isIdShown?: boolean;
  /** The line when there are no executions. */
  none?: string;
}

/** Executions as an aligned table. */
export function tableOfExecutions(
  executions: readonly Schemas['ExecutionDto'][],
  { isProjectShown = false, isIdShown = false, none = 'There are no runs yet.' }: ExecutionColumns = {},
): string {
  const isWhyShown = executions.some((execution) => execution.error_code !== null);
  return table(
    [
      ...(isProjectShown ? ['project'] : []),
      ...COLUMNS,
      ...(isWhyShown ? ['why'] : []),
      ...(isIdShown ? ['id'] : []),
    ],
    executions.map((e) => [
      ...(isProjectShown ? [nameOf(e)] : []),
      shownTime(e.queued_at),
      e.trigger,
      e.status,
      e.attempt,
      e.files_processed,
      `${e.chunks_upserted}/${e.chunks_deleted}`,
      e.embeddings_requested,
      e.embeddings_reused,
      e.source_requests,
      formatSeconds(e.duration_seconds),
      ...(isWhyShown ? [e.error_code ?? ''] : []),
      ...(isIdShown ? [e.id] : []),
    ]),
    none,
  );
}

/** Shown to the second in UTC, like the log. */
export function shownTime(instant: string | null): string {
  return instant === null ? '-' : instant.slice(0, 19).replace('T', ' ');
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** @param none shown instead of an empty table: what is missing, and how to add it. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  none: string,
): string {
  if (rows.length === 0) return none;
  const cells = [headings, ...rows].map((row) => row.map(String));
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  const lines = cells.map((row) => row.map((cell, column) => cell.padEnd(widths[column]!)).join('  '));
  return lines.map((line) => `  ${line.trimEnd()}`).join('\n');
}

/** A line for rows that a limit left out; empty without such. */
export function leftOut(items: readonly unknown[], total: number): string {
  return total > items.length ? `\n  ${items.length} of ${total}; --limit shows more.` : '';
}
