import { type RepositoryName } from '@adapters/postgres';
import { type Execution } from '@core/domain';
import { ExecutionDto } from '../executions/execution.schema.js';
import { present } from '../http/model.js';
import { csvLine } from './csv.js';
import { type ExportFormat } from './export.schema.js';

export const MEDIA_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8; header=present',
  json: 'application/json; charset=utf-8',
};

type Column = Exclude<keyof ExecutionDto, 'report'>;

/** All fields except `report`, which is an object and appears only in the JSON export. */
const COLUMNS = Object.keys(ExecutionDto.shape).filter((name) => name !== 'report') as Column[];

type NamedExecution = Execution & RepositoryName;

/** Yields the document in pieces of one page of rows each, so that only one page is in memory. */
export async function* renderExport(
  pages: AsyncIterable<NamedExecution[]>,
  format: ExportFormat,
): AsyncIterable<string> {
  if (format === 'csv') {
    // The header is part of the first page, because the first piece must show that the database answers.
    let head = csvLine(COLUMNS);
    for await (const page of pages) {
      yield head + page.map(csvOf).join('');
      head = '';
    }
    if (head !== '') yield head;
    return;
  }
  let separator = '[\n';
  for await (const page of pages) {
    yield separator + page.map((row) => JSON.stringify(present(ExecutionDto, row))).join(',\n');
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

function csvOf(execution: NamedExecution): string {
  const row = present(ExecutionDto, execution);
  return csvLine(COLUMNS.map((column) => row[column]));
}
