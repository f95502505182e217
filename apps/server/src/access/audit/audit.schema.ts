import { z } from 'zod';
import { AUDIT_OUTCOMES } from '@core/domain';
import { count, instant, namedOneOf, shown, text } from '../../http/fields.js';
import { listOf, model, query } from '../../http/model.js';
import { instantFilter, PAGE } from '../../http/queries.js';
import { roleField } from '../token.schema.js';

export const AuditQueryDto = query({
  ...PAGE,
  actor_id: text(300, 'Only calls of this caller.', { example: 'oidc:7' }).optional(),
  action: text(100, 'Only this action.', { example: 'lock.release' }).optional(),
  subject_type: text(100, 'Only this kind of subject.', { example: 'schedule' }).optional(),
  subject_id: text(100, 'Only this subject.').optional(),
  outcome: namedOneOf('AuditOutcome', AUDIT_OUTCOMES, 'Only this outcome.').optional(),
  from: instantFilter('Only calls at this instant or later.'),
  to: instantFilter('Only calls before this instant.'),
});
export type AuditQueryDto = z.output<typeof AuditQueryDto>;

/** An `audit_log` row. */
export const AuditEntryDto = model('AuditEntryDto', {
  id: count('Grows with each call.'),
  at: instant('When the call began.'),
  actor_id: shown('The caller: the id of an API token, or `oidc:` and the subject.', 'oidc:7'),
  actor_name: shown('Name of the caller at that time.', 'platform-admin'),
  actor_role: roleField('Role of the caller at that time.'),
  action: shown('What was requested: subject and verb.', 'lock.release'),
  subject_type: shown('Kind of the subject.', 'lock').nullable(),
  subject_id: shown('Id of the subject.', '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11').nullable(),
  reason: shown('Why, in the words of the caller.', 'The pod hangs.').nullable(),
  request_id: shown('Id of the request, as in the log lines.', '5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31'),
  outcome: namedOneOf(
    'AuditOutcome',
    AUDIT_OUTCOMES,
    'How it ended; null while it runs, or when the process died during the call.',
  ).nullable(),
  error_code: shown('Why it did not succeed.', 'lock_not_held').nullable(),
  changes: z
    .custom<Readonly<Record<string, unknown>>>()
    .meta({
      description: 'The body of a call that succeeded, secrets masked.',
      type: 'object',
      additionalProperties: true,
      example: { is_active: false },
    })
    .nullable(),
});
export const AuditEntryListDto = listOf(AuditEntryDto);
