import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type Role, type TokenRecord } from '@core/domain';
import { ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { IsInstant, IsOneOf, IsText, MayBeAbsent, Trimmed } from '../http/field-rules.js';
import { listOf } from '../http/page.dto.js';

export const ROLES = ['viewer', 'operator', 'admin'] as const satisfies readonly Role[];

export class CreateTokenDto {
  @ApiProperty({ description: 'Tells people and logs whose it is.', example: 'ci' })
  @Trimmed()
  @IsText(100)
  name!: string;

  @ApiProperty({
    description: 'viewer reads; operator also starts, cancels and pauses; admin also configures.',
    enum: ROLES,
    enumName: 'Role',
  })
  @IsOneOf(ROLES)
  role!: Role;

  @ApiPropertyOptional({
    description: 'From here on it opens nothing. Default: never.',
    type: String,
    format: 'date-time',
  })
  @MayBeAbsent()
  @IsInstant()
  expires_at?: Date;
}

/** An `api_tokens` row, without what would open anything. */
export class TokenDto {
  @ApiUuid('Id of the token.')
  id!: string;

  @ApiText('Tells whose it is.', 'ci')
  name!: string;

  @ApiProperty({ description: 'What it may do.', enum: ROLES, enumName: 'Role' })
  role!: Role;

  @ApiProperty({ description: 'Whether it opens anything now.', type: Boolean, example: true })
  is_valid!: boolean;

  @ApiText('Who made it; null for one of the configuration.', 'platform-admin', NULLABLE)
  created_by!: string | null;

  @ApiInstant('When it was made.')
  created_at!: Date;

  @ApiInstant('When it ends; null: never.', NULLABLE)
  expires_at!: Date | null;

  @ApiInstant('When it was used last, to the minute.', NULLABLE)
  last_used_at!: Date | null;

  @ApiInstant('When it was revoked.', NULLABLE)
  revoked_at!: Date | null;

  static of(this: void, token: TokenRecord): TokenDto {
    const isExpired = token.expiresAt !== null && token.expiresAt.getTime() <= Date.now();
    return {
      id: token.id,
      name: token.name,
      role: token.role,
      is_valid: token.revokedAt === null && !isExpired,
      created_by: token.createdBy,
      created_at: token.createdAt,
      expires_at: token.expiresAt,
      last_used_at: token.lastUsedAt,
      revoked_at: token.revokedAt,
    };
  }
}

export class NewTokenDto extends TokenDto {
  @ApiText('The token itself, shown only now: only its hash is kept.', 'rtd_…')
  token!: string;
}

export const TokenListDto = listOf(TokenDto);
