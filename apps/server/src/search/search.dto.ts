import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsUUID } from 'class-validator';
import { ApiCount, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { IsText, IsWholeNumber, MayBeAbsent, Trimmed } from '../http/field-rules.js';
import { listOf } from '../http/page.dto.js';
import { type RepositoryHit } from './search.service.js';

const MAX_REPOSITORIES = 100;
const DEFAULT_LIMIT = 10;
// The most that the vector store's port promises.
const MAX_LIMIT = 100;

export class SearchRequestDto {
  @ApiProperty({
    description: 'The question, in words or in code.',
    maxLength: 8000,
    example: 'where is the lease renewed',
  })
  @Trimmed()
  @IsText(8000)
  query!: string;

  @ApiPropertyOptional({
    description: 'Search only these repositories; unknown ones find nothing. Default: all.',
    type: 'array',
    items: { type: 'string', format: 'uuid' },
    minItems: 1,
    maxItems: MAX_REPOSITORIES,
  })
  @MayBeAbsent()
  @IsUUID('all', { each: true })
  @ArrayMaxSize(MAX_REPOSITORIES)
  @ArrayMinSize(1)
  @IsArray()
  repository_ids?: string[];

  @ApiPropertyOptional({
    description: 'Search only this folder and below, or this file.',
    type: String,
    example: 'src/app',
  })
  @MayBeAbsent()
  @IsText(4096)
  path_prefix?: string;

  @ApiPropertyOptional({ description: 'Search only this language.', type: String, example: 'typescript' })
  @MayBeAbsent()
  @IsText(64)
  language?: string;

  @ApiPropertyOptional({
    description:
      'Also what another branch of the same project holds word for word at the same path. Default: of equal hits one.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  all_branches?: boolean;

  @ApiPropertyOptional({
    description: 'How many hits to answer.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: DEFAULT_LIMIT,
  })
  @IsWholeNumber(1, MAX_LIMIT)
  limit: number = DEFAULT_LIMIT;
}

export class SearchHitDto {
  @ApiUuid('The repository of the hit.')
  repository_id!: string;

  @ApiText('Full path of its project.', 'group/project')
  project_path!: string;

  @ApiText('Its branch.', 'main')
  branch!: string;

  @ApiText('The file.', 'src/lease.ts')
  path!: string;

  @ApiCount('First line, from 1.', { example: 10 })
  start_line!: number;

  @ApiCount('Last line.', { example: 42 })
  end_line!: number;

  @ApiText('Language of the file.', 'typescript', NULLABLE)
  language!: string | null;

  @ApiText('The commit that the text was read at.', '8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d')
  commit!: string;

  @ApiProperty({ description: 'Cosine similarity, -1 to 1.', type: Number, example: 0.62 })
  score!: number;

  @ApiText('The text of the chunk.', 'export class Lease {')
  text!: string;

  static of(this: void, { score, payload, repository }: RepositoryHit): SearchHitDto {
    return {
      repository_id: repository.id,
      project_path: repository.projectPath,
      branch: repository.branch,
      path: payload.path,
      start_line: payload.start_line,
      end_line: payload.end_line,
      language: payload.language,
      commit: payload.commit,
      score,
      text: payload.text,
    };
  }
}

export const SearchHitListDto = listOf(SearchHitDto);
