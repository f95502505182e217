import { type z } from 'zod';
import { DECLARED_KINDS } from '@adapters/postgres';
import { instant, list, matching, namedOneOf, shown, text, uuid } from '../http/fields.js';
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
export type ReplaceDeclarationDto = z.output<typeof ReplaceDeclarationDto>;

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
export type DeclarationQueryDto = z.output<typeof DeclarationQueryDto>;
