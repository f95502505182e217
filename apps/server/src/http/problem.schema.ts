import { z } from 'zod';
import { count, instant, list, shown, uuid } from './fields.js';
import { model } from './model.js';

const FieldErrorDto = model('FieldErrorDto', {
  field: shown('Name of the refused field or parameter.', 'cron_expression'),
  message: shown('What was expected.', 'cron_expression must be text of 1 to 200 characters without NUL.'),
  found: z
    .unknown()
    .meta({
      description: 'The given value; left out when it is missing, large or may be a secret.',
      oneOf: [{ type: 'string', nullable: true }, { type: 'number' }, { type: 'boolean' }],
      example: '61 * * * *',
    })
    .optional(),
});

/** RFC 9457 problem details. */
export const ProblemDto = model('ProblemDto', {
  type: shown('Kind of the problem; ends in `code`.', 'urn:repotide:problem:repository_not_found', {
    format: 'uri',
  }),
  title: shown('The meaning of the HTTP status.', 'Not Found'),
  status: count('The HTTP status.', { minimum: undefined, example: 404 }),
  detail: shown(
    'What was found, what was expected and what to change.',
    'There is no repository 0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11.',
  ),
  code: shown('Stable name for programs.', 'repository_not_found'),
  instance: shown('Path of the request.', '/api/v1/repositories/0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11', {
    format: 'uri-reference',
  }),
  request_id: shown(
    'Also in the `X-Request-Id` header and on the log lines of this request.',
    '5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31',
  ),
  errors: list(FieldErrorDto, 'Each refused field.').optional(),
});

/** The problem for a busy repository. It names the holder. */
export const RunInProgressProblemDto = model('RunInProgressProblemDto', {
  ...ProblemDto.shape,
  execution_id: uuid('The execution that holds the repository.'),
  pod_name: shown('The pod that runs it; null while it is queued.', 'repotide-0').nullable(),
  started_at: instant('When it started; null while it is queued.').nullable(),
});
