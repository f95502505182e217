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

/** All fields but the report, which is an object and no cell; the JSON has it. */
const COLUMNS = Object.keys(ExecutionDto.shape).filter((name) => name !== 'report') as Column[];

/** The document in pieces of one page of rows each; only one page is in memory. */
export async function* renderExport(
  pages: AsyncIterable<Execution[]>,
  format: ExportFormat,
): AsyncIterable<string> {
  if (format === 'csv') {
    // With the first page, not before it: the first piece must show whether the database answers.
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

function csvOf(execution: Execution): string {
  const row = present(ExecutionDto, execution);
  return csvLine(COLUMNS.map((column) => row[column]));
}
