import { ApiProperty } from '@nestjs/swagger';
import { type Repository } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';

/** A `repositories` row. */
export class RepositoryDto {
  @ApiUuid('Id of the repository.')
  id!: string;

  @ApiProperty({ description: 'The kind of code host.', enum: ['gitlab'], example: 'gitlab' })
  provider!: 'gitlab';

  @ApiText('Address of the code host.', 'https://gitlab.example.com')
  base_url!: string;

  @ApiProperty({ description: 'The numeric id of the project.', type: 'integer', example: 42 })
  project_id!: number;

  @ApiText('Full path of the project at the last look.', 'group/project')
  project_path!: string;

  @ApiText('The branch that is indexed.', 'main')
  branch!: string;

  @ApiText('The collection that holds the points.', 'repotide')
  collection_name!: string;

  @ApiProperty({ description: 'Only these files; empty: all.', type: [String], example: ['src/**'] })
  include_globs!: string[];

  @ApiProperty({ description: 'Not these files.', type: [String], example: ['**/*.snap'] })
  exclude_globs!: string[];

  @ApiCount('Larger files are not indexed.', { example: 1_048_576 })
  max_file_bytes!: number;

  @ApiCount('Characters of a chunk.', { example: 7000 })
  chunk_size!: number;

  @ApiCount('Characters that neighbouring chunks share.', { example: 1500 })
  chunk_overlap!: number;

  @ApiUuid('The stored credential it is read with; null: the token of the environment.', NULLABLE)
  credential_id!: string | null;

  @ApiUuid('The discovery that registered it and may retire it; null: registered by hand.', NULLABLE)
  discovery_id!: string | null;

  @ApiInstant('Since when its discovery looks for it in vain.', NULLABLE)
  missing_since!: Date | null;

  @ApiText(
    'The commit that the index equals; null before the first completed run.',
    '8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d',
    NULLABLE,
  )
  last_synced_commit!: string | null;

  @ApiInstant('When the last run completed.', NULLABLE)
  last_sync_at!: Date | null;

  @ApiProperty({
    description: 'A run has written since the last completed one; the next run puts the index right.',
    type: Boolean,
    example: false,
  })
  index_dirty!: boolean;

  @ApiCount('Grows with every edit; the `ETag`.', { example: 1 })
  revision!: number;

  @ApiInstant('When it was registered.')
  created_at!: Date;

  @ApiInstant('When the row changed last.')
  updated_at!: Date;

  @ApiInstant('When it was deleted; only its executions remain of it.', NULLABLE)
  deleted_at!: Date | null;

  static of(this: void, repository: Repository): RepositoryDto {
    return {
      id: repository.id,
      provider: repository.provider,
      base_url: repository.baseUrl,
      project_id: repository.projectId,
      project_path: repository.projectPath,
      branch: repository.branch,
      collection_name: repository.collectionName,
      include_globs: repository.includeGlobs,
      exclude_globs: repository.excludeGlobs,
      max_file_bytes: repository.maxFileBytes,
      chunk_size: repository.chunkSize,
      chunk_overlap: repository.chunkOverlap,
      credential_id: repository.credentialId,
      discovery_id: repository.discoveryId,
      missing_since: repository.missingSince,
      last_synced_commit: repository.lastSyncedCommit,
      last_sync_at: repository.lastSyncAt,
      index_dirty: repository.indexDirty,
      revision: repository.revision,
      created_at: repository.createdAt,
      updated_at: repository.updatedAt,
      deleted_at: repository.deletedAt,
    };
  }
}

export const RepositoryListDto = listOf(RepositoryDto);
