import { CREDENTIAL_KINDS } from '@core/domain';
import { count, instant, list, LISTED_ID, matching, oneOf, shown, text, uuid } from '../http/fields.js';
import { exactlyOne, listOf, model } from '../http/model.js';
import { baseUrl } from '../repositories/repository.schema.js';

/** Text that fits into a header; the maximum length exceeds that of all GitLab secrets. */
const secret = (description: string, docs = {}) =>
  matching(
    /^[\x21-\x7e]{1,4096}$/,
    'must be 1 to 4096 printable ASCII characters without spaces',
    description,
    { writeOnly: true, ...docs },
  );

const OAuthGrantDto = model('OAuthGrantDto', {
  client_id: secret('Application ID.', { writeOnly: undefined }),
  client_secret: secret('Secret of the application.'),
  access_token: secret('As `/oauth/token` answered it.'),
  refresh_token: secret('Works once; from now on only Repotide may use it.'),
  expires_at: instant('When the access token ends: `created_at` plus `expires_in`.'),
});

const SECRET = {
  token: secret(
    'A personal, project or group access token of GitLab with `read_api`, or a token of another git host that may read code. Either this or `oauth`.',
    { example: 'glpat-...' },
  ).optional(),
  username: matching(
    /^[\x21-\x39\x3b-\x7e]{1,255}$/,
    'must be 1 to 255 printable ASCII characters without spaces and colons',
    'Sent beside `token` to a git host that is not a GitLab and expects a certain user. Only with `token`.',
    { writeOnly: true, example: 'x-token-auth' },
  ).optional(),
  oauth: OAuthGrantDto.describe(
    'The grant of an OAuth application for a user. Either this or `token`.',
  ).optional(),
};

/** The secret of a credential: a token, or an OAuth grant. */
export const CredentialSecretDto = exactlyOne('CredentialSecretDto', SECRET, ['token', 'oauth']);

export const CreateCredentialDto = exactlyOne(
  'CreateCredentialDto',
  {
    ...SECRET,
    name: text(100, 'A name that distinguishes it from others.', { example: 'platform group' }),
    base_url: baseUrl(
      'The GitLab or git host that it belongs to; it is sent to no other host. Default: `GITLAB_URL`.',
    ),
  },
  ['token', 'oauth'],
);

/** A `credentials` row without its secret. */
export const CredentialDto = model('CredentialDto', {
  id: uuid('Id of the credential.'),
  name: shown('Its name.', 'platform group'),
  kind: oneOf(CREDENTIAL_KINDS, 'Kind of its secret.', { example: 'token' }),
  base_url: shown('The code host that it belongs to.', 'https://gitlab.example.com'),
  expires_at: instant('When the OAuth access token ends and is refreshed; null for a token.').nullable(),
  needs_login_since: instant('Since when it needs a new login; null while it works.').nullable(),
  repository_count: count('Repositories that are read with it.', 3),
  revision: count('Grows with each new secret, refreshed ones included; the `ETag`.', 1),
  created_at: instant('When it was created.'),
  updated_at: instant('When its secret last changed.'),
});
export const CredentialListDto = listOf(CredentialDto);

export const KeyRotationDto = model('KeyRotationDto', {
  resealed: count('Secrets that were encrypted again.', 12),
  unreadable: list(
    LISTED_ID,
    'Ids of credentials and webhooks that were encrypted under a key that this pod does not have.',
    { example: [] },
  ),
});
