import { ApiProperty } from '@nestjs/swagger';
import { fileStatusOf, SKIP_REASONS, type FileStatus, type Folder, type ManifestEntry } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';

export const FILE_STATUSES = ['indexed', 'skipped', 'failed'] as const satisfies readonly FileStatus[];

/** A `repository_files` row: what the index holds of one path, or why it holds nothing. */
export class FileDto {
  @ApiText('Path from the root of the repository.', 'src/main.ts')
  path!: string;

  @ApiProperty({ description: 'What became of it.', enum: FILE_STATUSES, enumName: 'FileStatus' })
  status!: FileStatus;

  @ApiText('Git blob SHA that the row speaks of.', '9d1dcfdaf1a6857c5f83dc27019c7600e1ffaff8')
  blob_sha!: string;

  @ApiCount('Size; null when it was never fetched.', NULLABLE)
  size_bytes!: number | null;

  @ApiText('Language by name and content.', 'typescript', NULLABLE)
  language!: string | null;

  @ApiCount('Points that the index holds of it.')
  chunk_count!: number;

  @ApiInstant('When its points were stored.', NULLABLE)
  indexed_at!: Date | null;

  @ApiProperty({
    description: `Why it is not indexed: ${SKIP_REASONS.join(', ')}.`,
    type: String,
    nullable: true,
    example: 'too_large',
  })
  skip_reason!: string | null;

  @ApiText('The numbers or the rule behind the reason.', '.repotideignore line 3: "docs/**"', NULLABLE)
  skip_detail!: string | null;

  @ApiText(
    'Why it failed; the next run tries it again.',
    'The embedding server answered 400: the input is too long.',
    NULLABLE,
  )
  last_error!: string | null;

  @ApiCount('Secrets found in it; they are not in the index.')
  secrets_found!: number;

  @ApiText(
    'Where they are and which rules found them, never what they are.',
    'gitlab-token line 3, private-key lines 10-36',
    NULLABLE,
  )
  secret_detail!: string | null;

  static of(this: void, entry: ManifestEntry): FileDto {
    return {
      path: entry.path,
      status: fileStatusOf(entry),
      blob_sha: entry.blobSha,
      size_bytes: entry.sizeBytes,
      language: entry.language,
      chunk_count: entry.chunkCount,
      indexed_at: entry.indexedAt,
      skip_reason: entry.skipReason,
      skip_detail: entry.skipDetail,
      last_error: entry.lastError,
      secrets_found: entry.secretsFound,
      secret_detail: entry.secretDetail,
    };
  }
}

/** A `repository_folders` row. */
export class FolderDto {
  @ApiText('Path from the root of the repository.', 'src/app')
  path!: string;

  @ApiText('The folder above; empty: the root.', 'src', NULLABLE)
  parent_path!: string | null;

  @ApiCount('Files at any depth below.')
  file_count!: number;

  @ApiCount('Those of them that are in the index.')
  indexed_file_count!: number;

  @ApiCount('Their size together.', { example: 48_213 })
  size_bytes!: number;

  static of(this: void, folder: Folder): FolderDto {
    return {
      path: folder.path,
      parent_path: folder.parentPath,
      file_count: folder.fileCount,
      indexed_file_count: folder.indexedFileCount,
      size_bytes: folder.sizeBytes,
    };
  }
}

export const FileListDto = listOf(FileDto);
export const FolderListDto = listOf(FolderDto);
