import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsUUID } from 'class-validator';
import { IsText, IsWholeNumber, MayBeAbsent, MayBeNull } from '../http/field-rules.js';
import { HIDDEN_VALUE } from '../http/invalid-request.js';

const MAX_GLOBS = 100;
const MAX_GLOB_LENGTH = 500;

/** What may be chosen at registration and changed afterwards. The next run obeys a change. */
export class RepositorySettingsDto {
  @ApiPropertyOptional({
    description: 'Index only files that match one of these globs (picomatch); empty: all.',
    type: [String],
    maxItems: MAX_GLOBS,
    example: ['src/**', 'docs/**/*.md'],
  })
  @MayBeAbsent()
  @IsText(MAX_GLOB_LENGTH, { each: true })
  @ArrayMaxSize(MAX_GLOBS)
  @IsArray()
  include_globs?: string[];

  @ApiPropertyOptional({
    description: 'Leave out files that match one of these globs.',
    type: [String],
    maxItems: MAX_GLOBS,
    example: ['**/*.snap'],
  })
  @MayBeAbsent()
  @IsText(MAX_GLOB_LENGTH, { each: true })
  @ArrayMaxSize(MAX_GLOBS)
  @IsArray()
  exclude_globs?: string[];

  @ApiPropertyOptional({
    description: 'Larger files are not indexed. Default: `MAX_FILE_BYTES`.',
    type: 'integer',
    minimum: 1,
    maximum: 104_857_600,
    example: 1_048_576,
  })
  @MayBeAbsent()
  @IsWholeNumber(1, 104_857_600)
  max_file_bytes?: number;

  @ApiPropertyOptional({
    description: 'Characters of a chunk. Default: `CHUNK_SIZE`.',
    type: 'integer',
    minimum: 100,
    maximum: 100_000,
    example: 7000,
  })
  @MayBeAbsent()
  @IsWholeNumber(100, 100_000)
  chunk_size?: number;

  @ApiPropertyOptional({
    description: 'Characters that neighbouring chunks share. Default: `CHUNK_OVERLAP`.',
    type: 'integer',
    minimum: 0,
    maximum: 50_000,
    example: 1500,
  })
  @MayBeAbsent()
  @IsWholeNumber(0, 50_000)
  chunk_overlap?: number;

  @ApiPropertyOptional({
    description: 'The stored credential to read it with; null: the token of the environment.',
    type: String,
    format: 'uuid',
    nullable: true,
  })
  @MayBeNull()
  @IsUUID('all', HIDDEN_VALUE)
  credential_id?: string | null;
}
