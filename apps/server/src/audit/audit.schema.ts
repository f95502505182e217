import { z } from 'zod';
import { AUDIT_KINDS, AUDIT_OUTCOMES } from '@core/domain';
import {
  count,
  flag,
  instant,
  list,
  matching,
  namedOneOf,
  queryNumber,
  shown,
  text,
} from '../http/fields.js';
import { idFilter, instantFilter, PAGE } from '../http/queries.js';
import { listOf, model, query } from '../http/model.js';
import { roleField } from '../access/token.schema.js';

const FILTERS = {
  kind: namedOneOf('AuditKind', AUDIT_KINDS, 'Only records of this kind.').optional(),
  actor_id: text(300, 'Only calls of this caller.', { example: 'oidc:7' }).optional(),
  action: text(100, 'Only this action.', { example: 'lock.release' }).optional(),
  subject_type: text(100, 'Only this kind of subject.', { example: 'schedule' }).optional(),
  subject_id: text(100, 'Only this subject.').optional(),
  repository_id: idFilter('Only calls that changed or showed something of this repository.'),
  client_address: text(100, 'Only calls from this address.', { example: '192.0.2.7' }).optional(),
  query: text(8000, 'Only searches for exactly this text.').optional(),
  outcome: namedOneOf('AuditOutcome', AUDIT_OUTCOMES, 'Only this outcome.').optional(),
  from: instantFilter('Only calls at this instant or later.'),
  to: instantFilter('Only calls before this instant.'),
};

export const AuditQueryDto = query({ ...PAGE, ...FILTERS });

export const AuditExportDto = query(FILTERS);

const hashField = (description: string) =>
  matching(/^[0-9a-f]{64}$/, 'must be 64 digits from 0 to 9 and a to f', description, {
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  });

export const AuditCheckQueryDto = query({
  known_id: queryNumber(1, Number.MAX_SAFE_INTEGER, 'A record of an earlier check or export.').optional(),
  known_hash: hashField(
    'Its hash. The check fails when that record has another hash now, or is missing.',
  ).optional(),
});

/** An `audit_records` row. */
export const AuditEntryDto = model('AuditEntryDto', {
  id: count('Place in the chain, from 1 without gaps.'),
  previous_hash: hashField('Hash of the record before it.'),
  hash: hashField('SHA-256 of the previous hash, a newline, and the other fields as canonical JSON.'),
  at: instant('When the call began; of several calls, the first.'),
  kind: namedOneOf('AuditKind', AUDIT_KINDS, '`loss` counts records that could not be written.'),
  actor_id: shown(
    'The caller: the id of an API token, or `oidc:` and the subject. Null before a caller is known.',
    'oidc:7',
  ).nullable(),
  actor_name: shown('Name of the caller at that time.', 'platform-admin').nullable(),
  actor_role: roleField('Role of the caller at that time.').nullable(),
  client_address: shown('Address of the client, as trusted proxies report it.', '192.0.2.7').nullable(),
  method: shown('Method of the request.', 'DELETE').nullable(),
  route: shown('Pattern of the path.', '/api/v1/locks/:repository_id').nullable(),
  action: shown('What was requested: subject and verb.', 'lock.release'),
  subject_type: shown('Kind of the subject.', 'lock').nullable(),
  subject_id: shown('Id of the subject.', '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11').nullable(),
  repository_ids: list(
    shown('An id.', '0b0f1c9e-5f0e-4a55-8f0e-3a2f6f1d7c11'),
    'Repositories of the answer.',
  ).nullable(),
  path: shown('The file that was read.', 'src/main.ts').nullable(),
  lines: shown('The lines that were read.', '1-200').nullable(),
  query_hash: hashField(
    'Fingerprint of the text that was searched for, with a key of the installation.',
  ).nullable(),
  reason: shown('Why, in the words of the caller.', 'The pod hangs.').nullable(),
  request_id: shown(
    'Id of the request, as in the log lines.',
    '5a1d3f0e-8a55-4a7a-9a53-0c8a6c2f6a31',
  ).nullable(),
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
  begin_id: count('The record of the beginning of this change.').nullable(),
  calls: count('The number of calls, where this record counts several.').nullable(),
  last_at: instant('When the last of them began.').nullable(),
});
export const AuditEntryListDto = listOf(AuditEntryDto);

const headField = model('AuditHeadDto', { id: count('Its id.'), hash: hashField('Its hash.') });

export const AuditCheckDto = model('AuditCheckDto', {
  is_intact: flag('Whether no record is wrong.', true),
  checked: count('Records that were compared.'),
  head: headField
    .nullable()
    .meta({ description: 'The newest record. Keep it elsewhere, for `known_id` later.' }),
  anchor: model('AuditAnchorDto', {
    last_id: count('Its id.'),
    hash: hashField('Its hash, with which the chain goes on.'),
    deleted_at: instant('When it was deleted.'),
  })
    .nullable()
    .meta({ description: 'The last record that retention has deleted.' }),
  broken: model('AuditBreakDto', {
    id: count('Its id.'),
    problem: shown('What is wrong.', 'its content was changed'),
  })
    .nullable()
    .meta({ description: 'The first record that is wrong.' }),
});
