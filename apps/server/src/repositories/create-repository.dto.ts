import { ApiPropertyOptional } from '@nestjs/swagger';
import { Matches, ValidateIf } from 'class-validator';
import { IsGivenUnless, IsText, IsWholeNumber, MayBeAbsent } from '../http/field-rules.js';
import { COLLECTION_NAME, DEFAULT_COLLECTION } from './collection-name.js';
import { RepositorySettingsDto } from './repository-settings.dto.js';

/** The largest id that both JSON and a 64-bit column hold exactly. */
const MAX_PROJECT_ID = Number.MAX_SAFE_INTEGER;

export class CreateRepositoryDto extends RepositorySettingsDto {
  @ApiPropertyOptional({
    description: 'Full path of the project. Either this or `project_id`.',
    type: String,
    example: 'group/project',
  })
  @ValidateIf((dto: CreateRepositoryDto) => dto.project_path !== undefined || dto.project_id === undefined)
  @Matches(/^[^\s/]+(\/[^\s/]+)+$/, { message: '$property must be a full path such as group/project' })
  @IsText(1000)
  @IsGivenUnless('project_id')
  project_path?: string;

  @ApiPropertyOptional({
    description: 'Numeric id of the project. Either this or `project_path`.',
    type: 'integer',
    minimum: 1,
    example: 42,
  })
  @MayBeAbsent()
  @IsWholeNumber(1, MAX_PROJECT_ID)
  project_id?: number;

  @ApiPropertyOptional({
    description: 'The branch to index. Default: the default branch of the project.',
    type: String,
    example: 'main',
  })
  @MayBeAbsent()
  @IsText(255)
  branch?: string;

  @ApiPropertyOptional({
    description: 'Address of the GitLab host, with its path prefix if it has one. Default: `GITLAB_URL`.',
    type: String,
    format: 'uri',
    example: 'https://gitlab.example.com',
  })
  @MayBeAbsent()
  @IsText(2000)
  base_url?: string;

  @ApiPropertyOptional({
    description: 'The collection to keep the points in; several repositories may share one.',
    type: String,
    default: DEFAULT_COLLECTION,
    pattern: COLLECTION_NAME.source,
  })
  @MayBeAbsent()
  @IsText(128)
  collection_name?: string;
}
