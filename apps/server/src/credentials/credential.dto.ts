import { ApiProperty } from '@nestjs/swagger';
import { type Credential, CREDENTIAL_KINDS, type CredentialKind, type KeyRotation } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';

/** A `credentials` row without its secret. */
export class CredentialDto {
  @ApiUuid('Id of the credential.')
  id!: string;

  @ApiText('Its name.', 'platform group')
  name!: string;

  @ApiProperty({ description: 'What it is.', enum: CREDENTIAL_KINDS, example: 'token' })
  kind!: CredentialKind;

  @ApiText('The GitLab that it belongs to.', 'https://gitlab.example.com')
  base_url!: string;

  @ApiInstant('When the OAuth access token ends and is refreshed; null for a token.', NULLABLE)
  expires_at!: Date | null;

  @ApiInstant('Since when it needs a new login; null while it works.', NULLABLE)
  needs_login_since!: Date | null;

  @ApiCount('Repositories that are read with it.', { example: 3 })
  repository_count!: number;

  @ApiCount('Grows with each new secret, with those of a refresh too; the `ETag`.', { example: 1 })
  revision!: number;

  @ApiInstant('When it was created.')
  created_at!: Date;

  @ApiInstant('When its secret changed last.')
  updated_at!: Date;

  static of(this: void, credential: Credential): CredentialDto {
    return {
      id: credential.id,
      name: credential.name,
      kind: credential.kind,
      base_url: credential.baseUrl,
      expires_at: credential.expiresAt,
      needs_login_since: credential.needsLoginSince,
      repository_count: credential.repositoryCount,
      revision: credential.revision,
      created_at: credential.createdAt,
      updated_at: credential.updatedAt,
    };
  }
}

export const CredentialListDto = listOf(CredentialDto);

export class KeyRotationDto {
  @ApiCount('Secrets that were sealed anew.', { example: 12 })
  resealed!: number;

  @ApiProperty({
    description: 'Ids of credentials sealed under a key that this pod does not have.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    example: [],
  })
  unreadable!: string[];

  static of(this: void, { resealed, unreadable }: KeyRotation): KeyRotationDto {
    return { resealed, unreadable };
  }
}
