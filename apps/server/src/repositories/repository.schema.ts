import { REPOSITORY_SORTS } from '@core/domain';
import {
  commit,
  count,
  flag,
  instant,
  list,
  LISTED_ID,
  matching,
  oneOf,
  queryFlag,
  queryList,
  shown,
  text,
  uuid,
  wholeNumber,
} from '../http/fields.js';
import { exactlyOne, listOf, changes, model, query } from '../http/model.js';
import { PAGE, sortBy } from '../http/queries.js';
import { COLLECTION_NAME, DEFAULT_COLLECTION } from './collection-name.js';

const MAX_GLOBS = 100;
/** A query with a hundred ids is about 4 kB long, which every proxy accepts. */
const MAX_IDS = 100;

const globs = (description: string, example: string[]) =>
  list(text(500, 'A glob.'), description, { max: MAX_GLOBS, example }).optional();

/** Settings that a caller may set at registration and change later. A change applies from the next run. */
export const REPOSITORY_SETTINGS = {
  include_globs: globs('Index only files that match one of these globs; empty: all.', [
    'src/**',
    'docs/**/*.md',
  ]),
  exclude_globs: globs('Leave out files that match one of these globs.', ['**/*.snap']),
  max_file_bytes: wholeNumber(1, 104_857_600, 'Larger files are not indexed. Default: `MAX_FILE_BYTES`.', {
    example: 1_048_576,
  }).optional(),
  chunk_size: wholeNumber(100, 100_000, 'Characters of a chunk. Default: `CHUNK_SIZE`.', {
    example: 7000,
  }).optional(),
  chunk_overlap: wholeNumber(
    0,
    50_000,
    'Characters that neighbouring chunks share. Default: `CHUNK_OVERLAP`.',
    { example: 1500 },
  ).optional(),
  credential_id: uuid('The stored credential to read it with; null: the token of the environment.', {
    example: undefined,
  }).nullish(),
};

export const RepositorySettingsDto = changes('RepositorySettingsDto', {
  ...REPOSITORY_SETTINGS,
  branch: text(
    255,
    'Another branch, or the new name of a renamed one. Files that both have are not embedded again; their points keep the former name in `branch`.',
    { example: 'main' },
  ).optional(),
});

export const collectionName = (description: string) =>
  text(128, description, { default: DEFAULT_COLLECTION, pattern: COLLECTION_NAME.source }).optional();

export const baseUrl = (description: string) =>
  text(2000, description, { format: 'uri', example: 'https://gitlab.example.com' }).optional();

export const CreateRepositoryDto = exactlyOne(
  'CreateRepositoryDto',
  {
    ...REPOSITORY_SETTINGS,
    project_path: matching(
      /^[^\s/\0]+(\/[^\s/\0]+)+$/,
      'must be a full path such as group/project, at most 1000 characters long',
      'Full path of the project. This, `project_id` or `git_url`.',
      { maxLength: 1000, example: 'group/project' },
    ).optional(),
    // The largest id that both JSON and a 64-bit column hold exactly.
    project_id: wholeNumber(
      1,
      Number.MAX_SAFE_INTEGER,
      'Numeric id of the project. This, `project_path` or `git_url`.',
      { example: 42 },
    ).optional(),
    git_url: text(
      2000,
      'URL of a repository at any git host, as `git clone` takes it, without a user name or password.',
      { format: 'uri', example: 'https://github.com/group/project.git' },
    ).optional(),
    branch: text(255, 'The branch to index. Default: the default branch of the project.', {
      example: 'main',
    }).optional(),
    base_url: baseUrl(
      'Address of the GitLab host, with its path prefix if it has one. Default: `GITLAB_URL`. Not with `git_url`.',
    ),
    collection_name: collectionName('The collection of the points; several repositories may share one.'),
  },
  ['project_path', 'project_id', 'git_url'],
);

/** Filters of lists of repositories. */
export const REPOSITORY_FILTERS = {
  id: queryList(LISTED_ID, 'Only these repositories; repeat it or separate them by commas.', {
    max: MAX_IDS,
  }).optional(),
  search: text(1000, 'Only projects whose path contains this, in upper or lower case.', {
    example: 'payment',
  }).optional(),
};

export const RepositoryQueryDto = query({
  ...PAGE,
  sort: sortBy(REPOSITORY_SORTS, 'created_at'),
  ...REPOSITORY_FILTERS,
  include_deleted: queryFlag(
    'Also deleted repositories, to which executions may still belong; their `deleted_at` is set.',
    { default: false },
  ).optional(),
  project_path: text(1000, 'Only this project.', { example: 'group/project' }).optional(),
  branch: text(255, 'Only this branch.', { example: 'main' }).optional(),
  collection_name: text(128, 'Only this collection.', { example: 'repotide' }).optional(),
});

export const RuleWarningDto = model('RuleWarningDto', {
  code: oneOf(
    ['rule_file_ignored', 'rule_ignored', 'name_unclear'],
    'Whether a whole rule file or some of its rules have no effect, or the path of a file is not its name in the tree.',
    { example: 'rule_ignored' },
  ),
  path: shown('The rule file, or the file with the unclear name.', 'docs/.repotideignore'),
  line: count('The first line that it is about; null: the whole file.', 17).nullable(),
  message: shown('What was found.', 'this rule has no effect: it is longer than 2048 bytes'),
});

const IndexDriftDto = model('IndexDriftDto', {
  files: count('Files that differed from the tree.', 0),
  points: count('Points that were missing, outdated, duplicate or changed.', 2),
});

/** A `repositories` row. */
export const RepositoryDto = model('RepositoryDto', {
  id: uuid('Id of the repository.'),
  provider: oneOf(
    ['gitlab', 'git'],
    'The kind of code host; `git`: registered by `git_url`, and read by git alone.',
    { example: 'gitlab' },
  ),
  base_url: shown('Address of the code host.', 'https://gitlab.example.com'),
  project_id: count('The numeric id of the project; null with the provider `git`.', 42, {
    minimum: undefined,
  }).nullable(),
  project_path: shown(
    'Full path of the project, as last read from the code host. With the provider `git` its URL.',
    'group/project',
  ),
  branch: shown('The branch that is indexed.', 'main'),
  collection_name: shown('The collection that holds the points.', 'repotide'),
  include_globs: list(shown('A glob.', 'src/**'), 'Only these files; empty: all.', { example: ['src/**'] }),
  exclude_globs: list(shown('A glob.', '**/*.snap'), 'Not these files.', { example: ['**/*.snap'] }),
  max_file_bytes: count('Larger files are not indexed.', 1_048_576),
  chunk_size: count('Characters of a chunk.', 7000),
  chunk_overlap: count('Characters that neighbouring chunks share.', 1500),
  credential_id: uuid(
    'The stored credential it is read with; null: the token of the environment.',
  ).nullable(),
  discovery_id: uuid(
    'The discovery that registered it and may retire it; null: registered by hand.',
  ).nullable(),
  missing_since: instant('Since when its discovery does not find it.').nullable(),
  last_synced_commit: commit(
    'The commit that the index equals; null before the first completed run.',
  ).nullable(),
  last_sync_at: instant('When the last run completed.').nullable(),
  index_dirty: flag(
    'A run has written since the last completed one; the next run corrects the index.',
    false,
  ),
  lost_since: instant(
    'Since when the collection with its points is missing or was replaced; a run restores them.',
  ).nullable(),
  last_verified_at: instant(
    'When a verify or a repair last compared the whole index with the tree; null: never.',
  ).nullable(),
  last_drift: IndexDriftDto.nullable().meta({ description: 'What that comparison found.' }),
  warnings: list(RuleWarningDto, 'What has no effect in the rule files of the tree, as last read by a run.'),
  revision: count('Grows with every edit; the `ETag`.', 1),
  created_at: instant('When it was registered.'),
  updated_at: instant('When the row last changed.'),
  deleted_at: instant('When it was deleted; only its executions are kept.').nullable(),
});
export const RepositoryListDto = listOf(RepositoryDto);
