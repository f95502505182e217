import { Body, Delete, Get, Inject, Patch, Post, Query } from '@nestjs/common';
import { CredentialStore, EventWebhooks } from '@adapters/postgres';
import { type CredentialSecret, RepotideError, SourceFactory } from '@core/domain';
import { type Config } from '@platform/config';
import { ApiRoute, Resource } from '../http/api-route.js';
import { IdParam, RequestSignal, ExpectedRevision } from '../http/parameters.js';
import { fieldsOf, type Given } from '../http/model.js';
import { PageQueryDto } from '../http/queries.js';
import { existing, naming, sourceFields } from '../http/problem.js';
import { CONFIG } from '../injection-tokens.js';
import { normalizeBaseUrl } from '../repositories/registration.service.js';
import { RequireRole } from '../access/role.js';
import {
  CreateCredentialDto,
  CredentialDto,
  CredentialListDto,
  CredentialSecretDto,
  KeyRotationDto,
} from './credential.schema.js';

/** Credentials of code hosts. Their secrets can be written but never read. */
@Resource('credentials')
export class CredentialsController {
  constructor(
    private readonly credentials: CredentialStore,
    private readonly sources: SourceFactory,
    @Inject(CONFIG) private readonly config: Pick<Config, 'gitlab'>,
  ) {}

  @Post()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Store a credential',
    description:
      'Encrypted under `REPOTIDE_ENCRYPTION_KEY`. Repositories are read with it by their `credential_id`.',
    answers: CredentialDto,
    isTagged: true,
    createsUnder: '/api/v1/credentials',
    problems: {
      409: '`credential_exists`: the name is taken.',
      422: '`encryption_key_missing`, `source_url_invalid`, `url_not_allowed`, `username_unexpected`.',
    },
  })
  async createCredential(
    @Body({ schema: CreateCredentialDto }) body: Given<typeof CreateCredentialDto>,
    @RequestSignal() signal: AbortSignal,
  ) {
    const { name, baseUrl = this.config.gitlab.url } = body;
    try {
      // Opening a source validates the address and sends no request.
      await this.sources.open({ baseUrl, credentialId: null }, signal);
    } catch (error) {
      throw naming(error, sourceFields());
    }
    return this.credentials.create({ name, baseUrl: normalizeBaseUrl(baseUrl), ...secretOf(body) });
  }

  @Get()
  @RequireRole('admin')
  @ApiRoute({ summary: 'List credentials', answers: CredentialListDto })
  listCredentials(@Query({ schema: PageQueryDto }) query: Given<typeof PageQueryDto>) {
    return this.credentials.list(query);
  }

  @Get(':id')
  @RequireRole('admin')
  @ApiRoute({ summary: 'Show a credential', answers: CredentialDto, isTagged: true })
  async getCredential(@IdParam('credential') credentialId: string) {
    return existing(await this.credentials.find(credentialId), 'credential', credentialId);
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Give a credential a new secret',
    description: 'After a new login, or when a token was renewed. Runs that begin from now on use it.',
    answers: CredentialDto,
    isTagged: true,
    problems: { 422: '`encryption_key_missing`, `username_unexpected`.' },
  })
  updateCredential(
    @IdParam('credential') credentialId: string,
    @Body({ schema: CredentialSecretDto }) body: Given<typeof CredentialSecretDto>,
    @ExpectedRevision() revision: number | undefined,
  ) {
    return this.credentials.replaceSecret(credentialId, secretOf(body), revision);
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Delete a credential',
    status: 204,
    problems: { 409: '`credential_in_use`: a repository is read with it.' },
  })
  deleteCredential(@IdParam('credential') credentialId: string) {
    return this.credentials.delete(credentialId);
  }
}

/** The body has exactly one of the two. */
function secretOf({ token, username, oauth }: Given<typeof CredentialSecretDto>): CredentialSecret {
  if (oauth === undefined)
    return { kind: 'token', token: token!, ...(username !== undefined && { username }) };
  if (username === undefined) return { kind: 'oauth', oauth: fieldsOf(oauth) };
  const message = 'username belongs to token; with oauth, GitLab needs none. Leave it out.';
  throw new RepotideError('invalid', 'username_unexpected', message, { details: { field: 'username' } });
}

/** The key that encrypts the credentials. */
@Resource('credential-key', 'credentials')
export class CredentialKeyController {
  constructor(
    private readonly credentials: CredentialStore,
    private readonly webhooks: EventWebhooks,
  ) {}

  @Post('rotate')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Encrypt all credentials and secrets of webhooks under the current key',
    description:
      'Once every pod has `REPOTIDE_ENCRYPTION_KEY=<new key>,<former key>`. ' +
      'Repeating is harmless; afterwards the former key can be removed.',
    answers: KeyRotationDto,
    problems: { 422: '`encryption_key_missing`.' },
  })
  async rotateCredentialKey() {
    const [ofCredentials, ofWebhooks] = [await this.credentials.rotateKey(), await this.webhooks.rotateKey()];
    return {
      resealed: ofCredentials.resealed + ofWebhooks.resealed,
      unreadable: [...ofCredentials.unreadable, ...ofWebhooks.unreadable],
    };
  }
}
