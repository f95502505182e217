import { ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, IsBoolean, IsUUID } from 'class-validator';
import {
  FILE_SORTS,
  type FileSort,
  type FileStatus,
  REPOSITORY_SORTS,
  type RepositorySort,
  type SortOf,
} from '@core/domain';
import { FromQueryBoolean, FromQueryList, IsOneOf, IsText, MayBeAbsent } from '../http/field-rules.js';
import { PageQueryDto } from '../http/page.dto.js';
import { ApiSort } from '../http/sort.js';
import { FILE_STATUSES } from './file.dto.js';

/** An address of a hundred ids is some 4 kB long, which every proxy takes. */
const MAX_IDS = 100;

export class RepositoryQueryDto extends PageQueryDto {
  @ApiSort(REPOSITORY_SORTS, 'created_at')
  sort?: SortOf<RepositorySort>;

  @ApiPropertyOptional({
    description: 'Only these repositories; repeat it or separate by commas.',
    type: [String],
    format: 'uuid',
    maxItems: MAX_IDS,
  })
  @MayBeAbsent()
  @FromQueryList()
  @IsUUID('all', { each: true })
  @ArrayMaxSize(MAX_IDS)
  id?: string[];

  @ApiPropertyOptional({
    description: 'Only projects with this anywhere in their path, whatever the case.',
    example: 'payment',
  })
  @MayBeAbsent()
  @IsText(1000)
  search?: string;

  @ApiPropertyOptional({
    description:
      'Also those that were deleted, to which executions may still belong: `deleted_at` tells them.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @FromQueryBoolean()
  @IsBoolean()
  include_deleted?: boolean;

  @ApiPropertyOptional({ description: 'Only this project.', example: 'group/project' })
  @MayBeAbsent()
  @IsText(1000)
  project_path?: string;

  @ApiPropertyOptional({ description: 'Only this branch.', example: 'main' })
  @MayBeAbsent()
  @IsText(255)
  branch?: string;

  @ApiPropertyOptional({ description: 'Only this collection.', example: 'repotide' })
  @MayBeAbsent()
  @IsText(128)
  collection_name?: string;
}

export class FileQueryDto extends PageQueryDto {
  @ApiSort(FILE_SORTS, 'path')
  sort?: SortOf<FileSort>;

  @ApiPropertyOptional({
    description: 'Only files of this status; `skipped` answers why a file is not indexed.',
    enum: FILE_STATUSES,
    enumName: 'FileStatus',
  })
  @MayBeAbsent()
  @IsOneOf(FILE_STATUSES)
  status?: FileStatus;

  @ApiPropertyOptional({ description: 'Only paths that begin with this.', example: 'src/app' })
  @MayBeAbsent()
  @IsText(4096)
  path_prefix?: string;

  @ApiPropertyOptional({
    description: 'Only files in which secrets were found, or only the others.',
    type: Boolean,
  })
  @MayBeAbsent()
  @FromQueryBoolean()
  @IsBoolean()
  has_secrets?: boolean;
}

export class TreeQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ description: 'The folder to look into. Default: the root.', example: 'src' })
  @MayBeAbsent()
  @IsText(4096)
  path?: string;
}
