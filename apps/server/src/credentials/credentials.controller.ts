import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type CredentialSecret } from '@core/domain';
import { INVALID_FORM } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { fieldsOf, present, presentPage, type ListDto } from '../http/model.js';
import { PageQueryDto } from '../http/queries.js';
import { RequestSignal } from '../http/request-signal.js';
import { ApiIfMatch, ExpectedRevision } from '../http/revision.js';
import { RequireRole } from '../access/role.js';
import {
  CreateCredentialDto,
  CredentialDto,
  CredentialListDto,
  CredentialSecretDto,
  KeyRotationDto,
} from './credential.schema.js';
import { CredentialsService } from './credentials.service.js';

@ApiTags('credentials')
@Controller('api/v1/credentials')
export class CredentialsController {
  constructor(private readonly credentials: CredentialsService) {}

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
      400: INVALID_FORM,
      409: '`credential_exists`: the name is taken.',
      422: '`encryption_key_missing`, `source_url_invalid`, `url_not_allowed`.',
    },
  })
  async createCredential(
    @Body({ schema: CreateCredentialDto }) body: CreateCredentialDto,
    @RequestSignal() signal: AbortSignal,
  ): Promise<CredentialDto> {
    const request = { name: body.name, baseUrl: body.base_url, secret: secretOf(body) };
    return present(CredentialDto, await this.credentials.create(request, signal));
  }

  @Get()
  @RequireRole('admin')
  @ApiRoute({ summary: 'List credentials', answers: CredentialListDto, problems: { 400: INVALID_FORM } })
  async listCredentials(
    @Query({ schema: PageQueryDto }) query: PageQueryDto,
  ): Promise<ListDto<CredentialDto>> {
    return presentPage(CredentialDto, await this.credentials.list(query));
  }

  @Get(':id')
  @RequireRole('admin')
  @ApiId('credential')
  @ApiRoute({ summary: 'Show a credential', answers: CredentialDto, isTagged: true })
  async getCredential(@IdParam() credentialId: string): Promise<CredentialDto> {
    return present(CredentialDto, await this.credentials.get(credentialId));
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiId('credential')
  @ApiIfMatch()
  @ApiRoute({
    summary: 'Give a credential a new secret',
    description: 'After a new login, or when a token was renewed. Runs that begin from now on use it.',
    answers: CredentialDto,
    isTagged: true,
    problems: { 422: '`encryption_key_missing`.' },
  })
  async updateCredential(
    @IdParam() credentialId: string,
    @Body({ schema: CredentialSecretDto }) body: CredentialSecretDto,
    @ExpectedRevision() revision: number | undefined,
  ): Promise<CredentialDto> {
    return present(
      CredentialDto,
      await this.credentials.replaceSecret(credentialId, secretOf(body), revision),
    );
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiId('credential')
  @ApiRoute({
    summary: 'Delete a credential',
    status: 204,
    problems: { 409: '`credential_in_use`: a repository is read with it.' },
  })
  async deleteCredential(@IdParam() credentialId: string): Promise<void> {
    await this.credentials.remove(credentialId);
  }

  @Post('rotate-key')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Encrypt all credentials under the current key',
    description:
      'Once every pod has `REPOTIDE_ENCRYPTION_KEY=<new key>,<former key>`. ' +
      'Repeating is harmless; afterwards the former key can be removed.',
    answers: KeyRotationDto,
    problems: { 422: '`encryption_key_missing`.' },
  })
  async rotateCredentialKey(): Promise<KeyRotationDto> {
    return present(KeyRotationDto, await this.credentials.rotateKey());
  }
}

/** The body has exactly one of the two. */
function secretOf({ token, oauth }: CredentialSecretDto): CredentialSecret {
  return oauth === undefined ? { kind: 'token', token: token! } : { kind: 'oauth', oauth: fieldsOf(oauth) };
}
