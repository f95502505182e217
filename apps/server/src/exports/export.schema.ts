import { EXECUTION_FILTERS } from '../executions/execution.schema.js';
import { namedOneOf, shown } from '../http/fields.js';
import { listOf, model, query } from '../http/model.js';
import { PAGE } from '../http/queries.js';

const EXPORT_FORMATS = ['csv', 'json'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** The same filters as for the list of executions. The export contains all matches. */
export const ExportQueryDto = query({
  ...EXECUTION_FILTERS,
  format: namedOneOf('ExportFormat', EXPORT_FORMATS, 'Format of the document.').default('csv'),
});

const STATUSES = ['failed', 'skipped'] as const;

export const ExecutionFileQueryDto = query({
  ...PAGE,
  status: namedOneOf(
    'ExecutionFileStatus',
    STATUSES,
    'Only files that failed, or only those that a rule left out.',
  ).optional(),
});

/** An `execution_file_errors` row. */
export const ExecutionFileDto = model('ExecutionFileDto', {
  path: shown('Path from the root of the repository.', 'src/main.ts'),
  status: namedOneOf('ExecutionFileStatus', STATUSES, 'Whether it failed, or a rule left it out.'),
  error_code: shown(
    'Stable name of the error, or of the rule that left it out.',
    'embedding_request_refused',
  ),
  message: shown('What was found, what was expected.', 'The embedding server answered 400.').nullable(),
});
export const ExecutionFileListDto = listOf(ExecutionFileDto);
