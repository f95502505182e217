import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { Matches, ValidateIf, ValidateNested } from 'class-validator';
import { ApiInstant } from '../http/api-fields.js';
import { IsGivenUnless, IsInstant, IsText, MayBeAbsent } from '../http/field-rules.js';
import { HIDDEN_VALUE } from '../http/invalid-request.js';

/** As a header can carry it; longer than any that GitLab makes. */
const SECRET = /^[\x21-\x7e]{1,4096}$/;

function IsSecret(): PropertyDecorator {
  const message = '$property must be 1 to 4096 printable ASCII characters without spaces';
  return Matches(SECRET, { message, ...HIDDEN_VALUE });
}

export class OAuthGrantDto {
  @ApiProperty({ description: 'Application ID.', type: String })
  @IsSecret()
  client_id!: string;

  @ApiProperty({ description: 'Secret of the application.', type: String, writeOnly: true })
  @IsSecret()
  client_secret!: string;

  @ApiProperty({ description: 'As `/oauth/token` answered it.', type: String, writeOnly: true })
  @IsSecret()
  access_token!: string;

  @ApiProperty({
    description: 'Works once; from now on only Repotide may use it.',
    type: String,
    writeOnly: true,
  })
  @IsSecret()
  refresh_token!: string;

  @ApiInstant('When the access token ends: `created_at` plus `expires_in`.')
  @IsInstant()
  expires_at!: Date;
}

/** The secret of a credential: a token, or an OAuth grant. */
export class CredentialSecretDto {
  @ApiPropertyOptional({
    description: 'A personal, project or group access token with `read_api`. Either this or `oauth`.',
    type: String,
    writeOnly: true,
    example: 'glpat-...',
  })
  @ValidateIf((dto: CredentialSecretDto) => dto.token !== undefined || dto.oauth === undefined)
  @IsSecret()
  @IsGivenUnless('oauth', HIDDEN_VALUE)
  token?: string;

  @ApiPropertyOptional({
    description: 'What an OAuth application holds for a user. Either this or `token`.',
    type: OAuthGrantDto,
  })
  @MayBeAbsent()
  @ValidateNested({ message: '$property must be an object', ...HIDDEN_VALUE })
  @Type(() => OAuthGrantDto)
  oauth?: OAuthGrantDto;
}

export class CreateCredentialDto extends CredentialSecretDto {
  @ApiProperty({ description: 'Tells it from others.', type: String, example: 'platform group' })
  @IsText(100)
  name!: string;

  @ApiPropertyOptional({
    description: 'The GitLab that it belongs to; no other one is shown it. Default: `GITLAB_URL`.',
    type: String,
    format: 'uri',
    example: 'https://gitlab.example.com',
  })
  @MayBeAbsent()
  @IsText(2000)
  base_url?: string;
}
