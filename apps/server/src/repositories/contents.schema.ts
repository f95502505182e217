import { FILE_SORTS, SKIP_REASONS, type FileStatus } from '@core/domain';
import { count, instant, namedOneOf, queryFlag, shown, text, uuid } from '../http/fields.js';
import { listOf, model, query } from '../http/model.js';
import { PAGE, sortBy } from '../http/queries.js';

const FILE_STATUSES = ['indexed', 'skipped', 'failed'] as const satisfies readonly FileStatus[];

export const FileQueryDto = query({
  ...PAGE,
  sort: sortBy(FILE_SORTS, 'path'),
  status: namedOneOf(
    'FileStatus',
    FILE_STATUSES,
    'Only files of this status; `skipped` shows why a file is not indexed.',
  ).optional(),
  path_prefix: text(4096, 'Only paths that begin with this.', { example: 'src/app' }).optional(),
  search: text(1000, 'Only paths that contain this, in upper or lower case.', { example: 'logo' }).optional(),
  has_secrets: queryFlag('True: only files in which secrets were found; false: only the others.').optional(),
});

/** A `repository_files` row: the index state of one path, or the reason why it is not indexed. */
export const FileDto = model('FileDto', {
  path: shown('Path from the root of the repository.', 'src/main.ts'),
  status: namedOneOf('FileStatus', FILE_STATUSES, 'State of the file in the index.'),
  blob_sha: shown('Git blob SHA of the file.', '9d1dcfdaf1a6857c5f83dc27019c7600e1ffaff8'),
  size_bytes: count('Size; null when it was never fetched.').nullable(),
  language: shown('Language by name and content.', 'typescript').nullable(),
  chunk_count: count('Points of the file in the index.'),
  indexed_at: instant('When its points were stored.').nullable(),
  skip_reason: shown(`Why it is not indexed: ${SKIP_REASONS.join(', ')}.`, 'too_large').nullable(),
  skip_detail: shown(
    'The numbers or the rule behind the reason.',
    '.repotideignore line 3: "docs/**"',
  ).nullable(),
  last_error: shown(
    'Why it failed; the next run tries it again.',
    'The embedding server answered 400: the input is too long.',
  ).nullable(),
  secrets_found: count('Secrets found in it; they are not in the index.'),
  secret_detail: shown(
    'Lines of the secrets and the rules that found them, never the secrets.',
    'gitlab-token line 3, private-key lines 10-36',
  ).nullable(),
});
export const FileListDto = listOf(FileDto);

export const TreeQueryDto = query({
  ...PAGE,
  path: text(4096, 'The folder to list. Default: the root.', { example: 'src' }).optional(),
});

/** A `repository_folders` row. */
export const FolderDto = model('FolderDto', {
  path: shown('Path from the root of the repository.', 'src/app'),
  parent_path: shown('The folder above; empty: the root.', 'src').nullable(),
  file_count: count('Files below it, at any depth.'),
  indexed_file_count: count('Files below it that are in the index.'),
  size_bytes: count('Total size of the files below it.', 48_213),
});
export const FolderListDto = listOf(FolderDto);

/** The progress of the purge of a deleted repository. */
export const PurgeDto = model('PurgeDto', {
  repository_id: uuid('The repository that was deleted.'),
  status: namedOneOf(
    'PurgeStatus',
    ['waiting', 'running', 'purged'],
    '`waiting`: its run has not started, or waits for its next attempt; `purged`: everything is removed.',
  ),
  deleted_at: instant('When it was deleted.'),
  purged_at: instant('When the last of its points and file rows was removed; null until then.').nullable(),
  execution_id: uuid('The newest run that removes it; null until one is queued.').nullable(),
  chunks_deleted: count('Points that this run has removed.'),
});
