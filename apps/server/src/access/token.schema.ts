import { type Role, SCOPE_PATTERN } from '@core/domain';
import {
  flag,
  instant,
  list,
  matching,
  namedOneOf,
  shown,
  trimmedText,
  uuid,
  wholeNumber,
} from '../http/fields.js';
import { listOf, model } from '../http/model.js';

const ROLES = ['viewer', 'operator', 'admin'] as const satisfies readonly Role[];
export const roleField = (description: string) => namedOneOf('Role', ROLES, description);

export const scopeField = list(
  matching(
    SCOPE_PATTERN,
    'must be a pattern of 1 to 300 characters of project paths, "*", "**" and "?"',
    'A pattern.',
  ),
  'Patterns of the project paths that it may see and change, such as `platform`, which includes all below the group, or ' +
    '`web/*-service`. Null: everything.',
  { min: 1, max: 50, example: ['platform'] },
);

export const CreateTokenDto = model('CreateTokenDto', {
  name: trimmedText(100, 'A name for people and logs.', { example: 'ci' }),
  role: roleField('viewer reads; operator also starts, cancels and pauses; admin also configures.'),
  scope: scopeField.optional(),
  expires_at: instant('The token is valid until then. Default and latest: `API_TOKEN_MAX_DAYS` from now.', {
    example: undefined,
  }).optional(),
});

/** A week suffices to hand a token to many machines. */
const LONGEST_OVERLAP_SECONDS = 604_800;

export const RotateTokenDto = model('RotateTokenDto', {
  overlap_seconds: wholeNumber(
    0,
    LONGEST_OVERLAP_SECONDS,
    'How long the former token is still accepted, unless it expires before.',
    { default: 3600 },
  ).default(3600),
  expires_at: instant(
    'The new token is valid until then. Default: as long as the former one was given, at most `API_TOKEN_MAX_DAYS`.',
    { example: undefined },
  ).optional(),
});

/** An `api_tokens` row, without its secret. */
export const TokenDto = model('TokenDto', {
  id: uuid('Id of the token.'),
  name: shown('Its name.', 'ci'),
  role: roleField('Its role.'),
  scope: scopeField.nullable(),
  is_valid: flag('Whether it is accepted now.', true),
  created_by: shown(
    'Name of the token that created it; null: it comes from the configuration.',
    'platform-admin',
  ).nullable(),
  created_at: instant('When it was created.'),
  expires_at: instant('When it expires; null: never.').nullable(),
  last_used_at: instant('When it was last used, to the minute.').nullable(),
  revoked_at: instant('When it was revoked.').nullable(),
});
export const TokenListDto = listOf(TokenDto);

export const NewTokenDto = model('NewTokenDto', {
  ...TokenDto.shape,
  token: shown('The token itself, shown only now: only its hash is stored.', 'rtd_…'),
});

export const IdentityDto = model('IdentityDto', {
  name: shown('Name of the token, or of the user that single sign-on names.', 'ci'),
  role: roleField('Its role.'),
  scope: scopeField.nullable(),
});

export const SignInOptionsDto = model('SignInOptionsDto', {
  provider: shown(
    'Where people sign in; null: they cannot, and the dashboard needs an API token.',
    'GitLab',
  ).nullable(),
});
