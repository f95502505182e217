import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { type Credential, type CredentialSecret } from '@core/domain';
import { INVALID_FORM } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { HttpProblem } from '../http/http-problem.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, PageQueryDto, toList } from '../http/page.dto.js';
import { RequestSignal } from '../http/request-signal.js';
import { ApiIfMatch, ExpectedRevision, REVISION_HEADER, tagRevision } from '../http/revision.js';
import { RequireRole } from '../access/role.js';
import { CreateCredentialDto, CredentialSecretDto } from './credential-requests.dto.js';
import { CredentialDto, CredentialListDto, KeyRotationDto } from './credential.dto.js';
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
    status: 201,
    answers: CredentialDto,
    headers: { ...REVISION_HEADER, Location: 'Address of the credential.' },
    problems: {
      400: INVALID_FORM,
      409: '`credential_exists`: the name is taken.',
      422: '`encryption_key_missing`, `source_url_invalid`, `url_not_allowed`.',
    },
  })
  async createCredential(
    @Body() body: CreateCredentialDto,
    @RequestSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CredentialDto> {
    const request = { name: body.name, baseUrl: body.base_url, secret: secretOf(body) };
    const created = await this.credentials.create(request, signal);
    response.location(`/api/v1/credentials/${created.id}`);
    return answer(created, response);
  }

  @Get()
  @RequireRole('admin')
  @ApiRoute({ summary: 'List credentials', answers: CredentialListDto, problems: { 400: INVALID_FORM } })
  async listCredentials(@Query() query: PageQueryDto): Promise<ListDto<CredentialDto>> {
    return toList(await this.credentials.list(query), CredentialDto.of);
  }

  @Get(':id')
  @RequireRole('admin')
  @ApiId('credential')
  @ApiRoute({ summary: 'Show a credential', answers: CredentialDto, headers: REVISION_HEADER })
  async getCredential(
    @IdParam() credentialId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CredentialDto> {
    return answer(await this.credentials.get(credentialId), response);
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiId('credential')
  @ApiIfMatch()
  @ApiRoute({
    summary: 'Give a credential a new secret',
    description: 'After a new login, or when a token was renewed. Runs that begin from now on use it.',
    answers: CredentialDto,
    headers: REVISION_HEADER,
    problems: { 422: '`encryption_key_missing`.' },
  })
  async updateCredential(
    @IdParam() credentialId: string,
    @Body() body: CredentialSecretDto,
    @ExpectedRevision() revision: number | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CredentialDto> {
    return answer(await this.credentials.replaceSecret(credentialId, secretOf(body), revision), response);
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
    summary: 'Encrypt all credentials under the present key',
    description:
      'Once every pod has `REPOTIDE_ENCRYPTION_KEY=<new key>,<former key>`. ' +
      'Repeating is harmless; afterwards the old key may go.',
    answers: KeyRotationDto,
    problems: { 422: '`encryption_key_missing`.' },
  })
  async rotateCredentialKey(): Promise<KeyRotationDto> {
    return KeyRotationDto.of(await this.credentials.rotateKey());
  }
}

function answer(credential: Credential, response: Response): CredentialDto {
  tagRevision(response, credential);
  return CredentialDto.of(credential);
}

function secretOf({ token, oauth }: CredentialSecretDto): CredentialSecret {
  if (token !== undefined) return { kind: 'token', token };
  if (oauth === undefined) throw new HttpProblem(400, 'validation_failed', 'Give token or oauth.');
  const { client_id, client_secret, access_token, refresh_token, expires_at } = oauth;
  return {
    kind: 'oauth',
    oauth: {
      clientId: client_id,
      clientSecret: client_secret,
      accessToken: access_token,
      refreshToken: refresh_token,
      expiresAt: expires_at,
    },
  };
}
