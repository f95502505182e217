import { DECLARED_KINDS, ROUND_STATUSES } from '@adapters/postgres';
import { flag, instant, list, matching, namedOneOf, oneOf, shown, text, uuid } from '../http/fields.js';
import { listOf, model, query } from '../http/model.js';
import { idFilter, PAGE } from '../http/queries.js';

const MAX_RESOURCES = 5000;

const kind = namedOneOf('DeclaredKind', DECLARED_KINDS, 'Kind of the resource.', { example: 'repository' });
const digest = matching(
  /^[0-9a-f]{64}$/,
  'must be 64 hexadecimal digits',
  'Of its fields in the files: where the resource differs from them and this is unchanged, it was changed by hand.',
  { example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' },
);

const DeclaredDto = model('DeclaredDto', {
  kind,
  key: text(1500, 'Its name in the files, unique within its kind.', { example: 'group/project@main' }),
  resource_id: uuid('Id of the resource.'),
  digest,
});

export const ReplaceDeclarationDto = model('ReplaceDeclarationDto', {
  resources: list(DeclaredDto, 'All resources that the files declare.', { max: MAX_RESOURCES }),
});

/** A `declared_resources` row. */
export const DeclaredResourceDto = model('DeclaredResourceDto', {
  declaration: shown('Name of the declaration.', 'default'),
  kind,
  key: shown('Its name in the files.', 'group/project@main'),
  resource_id: uuid('Id of the resource.'),
  digest,
  applied_at: instant('When its fields were last applied.'),
  applied_by: shown('Name of the token that applied them.', 'ci').nullable(),
});
export const DeclaredResourceListDto = listOf(DeclaredResourceDto);

export const DeclarationQueryDto = query({
  ...PAGE,
  declaration: text(100, 'Only this declaration.', { example: 'default' }).optional(),
  kind: kind.optional(),
  resource_id: idFilter('Only this repository, schedule, discovery or credential.'),
});

const DeclaredFieldDto = model('DeclaredFieldDto', {
  field: shown('Name of the field.', 'max_file_bytes'),
  from: shown('Its value in the service, as JSON; the first 2,000 characters.', '5000'),
  to: shown('Its value in the files, as JSON; the first 2,000 characters.', '100000'),
});

const DeclaredChangeDto = model('DeclaredChangeDto', {
  action: oneOf(['create', 'update', 'delete'], 'What makes the service equal to the files.'),
  kind,
  key: shown('Name of the resource in the files.', 'group/project@main'),
  is_drift: flag('Whether it was changed by hand since it was applied.', false),
  fields: list(DeclaredFieldDto, 'The fields that differed.'),
  error: shown('Why it could not be applied.', 'There is no project "group/project".').nullable(),
});

/** A `declaration_rounds` row. */
export const DeclarationRoundDto = model('DeclarationRoundDto', {
  declaration: shown('Name of the declaration.', 'installation'),
  status: namedOneOf('DeclarationStatus', ROUND_STATUSES, 'Whether the service equals the files.', {
    example: 'equal',
  }),
  checked_at: instant('When the leader last compared them.'),
  changed_at: instant('When that last changed the service.').nullable(),
  pod_name: shown('The pod that compared them.', 'repotide-0'),
  error: shown(
    'Why the files could not be compared.',
    'repotide.yaml:3: repositories[0].brunch is not a field here.',
  ).nullable(),
  changes: list(
    DeclaredChangeDto,
    'What the newest comparison that found a difference changed, or would change; at most 200.',
  ),
});
