import { z } from 'zod';
import { ARCHIVED_POLICIES, DISCOVERY_RUN_STATUSES } from '@core/domain';
import {
  count,
  flag,
  instant,
  list,
  namedOneOf,
  oneOf,
  shown,
  text,
  uuid,
  wholeNumber,
} from '../http/fields.js';
import { listOf, changes, model } from '../http/model.js';
import { baseUrl, collectionName, REPOSITORY_SETTINGS } from '../repositories/repository.schema.js';

const MAX_PATTERNS = 100;
/** One year. */
const MAX_GRACE_HOURS = 8760;

const patterns = (description: string, example: string[]) =>
  list(text(500, 'A pattern.'), description, { max: MAX_PATTERNS, example }).optional();

const archivedProjects = (docs = {}) =>
  namedOneOf('ArchivedPolicy', ARCHIVED_POLICIES, '`exclude`: an archived project counts as removed.', docs);

export const TEMPLATE_DEFAULTS = { cron: 'H * * * *', timezone: 'UTC' };
const TEMPLATE = {
  cron_expression: text(
    200,
    'Minute, hour, day of month, month, day of week. `H` is a number that each repository keeps: `H * * * *` is hourly at ' +
      'another minute for each repository, `H H(0-5) * * *` once a night, `H/15 * * * *` every quarter of an hour.',
    { maxLength: 200, default: TEMPLATE_DEFAULTS.cron },
  ),
  timezone: text(64, 'IANA name of its time zone.', { maxLength: 64, default: TEMPLATE_DEFAULTS.timezone }),
};
const ScheduleTemplate = z
  .strictObject(
    {
      cron_expression: TEMPLATE.cron_expression.default(TEMPLATE_DEFAULTS.cron),
      timezone: TEMPLATE.timezone.default(TEMPLATE_DEFAULTS.timezone),
    },
    { error: 'must be an object' },
  )
  .meta({ additionalProperties: false, description: 'Schedule of each new repository; null: none.' });

/** Settings that a caller may set at creation and change later. File and chunk settings apply to new repositories only. */
const SETTINGS = {
  ...REPOSITORY_SETTINGS,
  include_subgroups: flag('With the projects of subgroups.', { default: true }).optional(),
  members_only: flag(
    'For a whole host: only projects that the user of the token is a member of. False: every project that it can see.',
    { default: true },
  ).optional(),
  include_projects: patterns('Only projects whose full path matches one of these globs; empty: all.', [
    'team/services/**',
  ]),
  exclude_projects: patterns('No projects whose full path matches one of these globs.', ['**/*-archive']),
  branches: patterns('Names or globs of branches; empty: the default branch of each project.', [
    'main',
    'release/*',
  ]),
  archived_projects: archivedProjects({ default: 'exclude' }).optional(),
  collection_name: collectionName('The collection of new repositories.'),
  schedule: ScheduleTemplate.nullish(),
  cron_expression: text(200, 'When it runs.', { default: '0 * * * *' }).optional(),
  timezone: text(64, 'IANA name of the time zone of the expression.', { default: 'UTC' }).optional(),
  is_active: flag('False: it runs only on request.', { default: true }).optional(),
  grace_hours: wholeNumber(
    0,
    MAX_GRACE_HOURS,
    'A removed project is deleted and purged this long after a run first missed it.',
    { default: 24 },
  ).optional(),
};

const name = (description: string) => text(200, description, { example: 'platform' }).optional();

export const CreateDiscoveryDto = model('CreateDiscoveryDto', {
  ...SETTINGS,
  name: name('A name that distinguishes it from others. Default: the group, or the host.'),
  group_path: text(1000, 'Full path of the group; null or absent: the whole host.', {
    example: 'team/platform',
  }).nullish(),
  base_url: baseUrl('Address of the GitLab host, with its path prefix if it has one. Default: `GITLAB_URL`.'),
});

export const UpdateDiscoveryDto = changes('UpdateDiscoveryDto', {
  ...SETTINGS,
  name: name('A name that distinguishes it from others.'),
});

export const RunDiscoveryDto = model('RunDiscoveryDto', {
  dry_run: flag('Only answer what a run would do, without doing it.').default(false),
  force: flag('Confirms that most of the known projects were removed. The grace still applies.').default(
    false,
  ),
});

const texts = (description: string, example: string) =>
  list(shown('One of them.', example), description, { example: [example] });

/** A `discoveries` row. */
export const DiscoveryDto = model('DiscoveryDto', {
  id: uuid('Id of the discovery.'),
  name: shown('A name that distinguishes it from others.', 'platform'),
  base_url: shown('Address of the code host.', 'https://gitlab.example.com'),
  group_path: shown('Full path of the group; null: the whole host.', 'team/platform').nullable(),
  include_subgroups: flag('With the projects of subgroups.', true),
  members_only: flag('For a whole host: only projects that the user of the token is a member of.', true),
  include_projects: texts('Only projects that match; empty: all.', 'team/services/**'),
  exclude_projects: texts('No projects that match.', '**/*-archive'),
  branches: texts('Names or globs; empty: the default branch of each project.', 'main'),
  archived_projects: archivedProjects(),
  credential_id: uuid(
    'The stored credential that it lists projects with; null: the token of the environment.',
  ).nullable(),
  collection_name: shown('The collection of new repositories.', 'repotide'),
  include_globs: texts('New repositories: only these files; empty: all.', 'src/**'),
  exclude_globs: texts('New repositories: not these files.', '**/*.snap'),
  max_file_bytes: count('New repositories: larger files are not indexed.', 1_048_576),
  chunk_size: count('New repositories: characters of a chunk.', 7000),
  chunk_overlap: count('New repositories: characters that neighbouring chunks share.', 1500),
  schedule: z
    .strictObject(TEMPLATE)
    .meta({ additionalProperties: false, description: 'The schedule of new repositories; null: none.' })
    .nullable(),
  cron_expression: shown('When it runs.', '0 * * * *'),
  timezone: shown('IANA name of the time zone of the expression.', 'UTC'),
  is_active: flag('False: it runs only on request.', true),
  grace_hours: count('A removed project is retired this long after a run first missed it.', 24),
  next_run_at: instant('When it runs next; null while it is not active.').nullable(),
  revision: count('Grows with every edit; the `ETag`.', 1),
  created_at: instant('When it was created.'),
  updated_at: instant('When the row last changed.'),
});
export const DiscoveryListDto = listOf(DiscoveryDto);

/** A `discovery_runs` row. */
export const DiscoveryRunDto = model('DiscoveryRunDto', {
  id: uuid('Id of the run.'),
  discovery_id: uuid('The discovery that ran.'),
  trigger: oneOf(['cron', 'manual'], 'What started the run.', { example: 'cron' }),
  status: namedOneOf(
    'DiscoveryRunStatus',
    DISCOVERY_RUN_STATUSES,
    '`partial`: some projects could not be read.',
  ),
  force: flag('The caller confirmed that most projects were removed.', false),
  requested_by: shown('Name of the token that requested it; null: its schedule.', 'ada').nullable(),
  pod_name: shown('The pod that last ran it.', 'repotide-0').nullable(),
  queued_at: instant('When it was queued.'),
  started_at: instant('When it started.').nullable(),
  completed_at: instant('When it ended.').nullable(),
  projects_listed: count('Projects that the host listed.'),
  added: count('Repositories that were registered.'),
  kept: count('Repositories that were already registered, by this discovery or otherwise, and still exist.'),
  restored: count('Kept repositories that were missing before.'),
  missing: count('Repositories that are missing and wait for their grace to pass.'),
  retired: count('Repositories that were deleted; their points are purged in the background.'),
  skipped: count('Projects with nothing to index: empty, or their code may not be read.'),
  failed: count('Projects that could not be read; they stay as they were.'),
  error_code: shown('Why it failed or is partial.', 'discovery_loss_refused').nullable(),
  error_message: shown('The same for people.', 'GitLab listed 0 project(s), ...').nullable(),
});
export type DiscoveryRunDto = z.output<typeof DiscoveryRunDto>;
export const DiscoveryRunListDto = listOf(DiscoveryRunDto);

const WantedRepositoryDto = model('WantedRepositoryDto', {
  project_id: count('The numeric id of the project.', 42, { minimum: undefined }),
  project_path: shown('Full path of the project.', 'team/platform/api'),
  branch: shown('The branch.', 'main'),
});

const MissingRepositoryDto = model('MissingRepositoryDto', {
  ...WantedRepositoryDto.shape,
  repository_id: uuid('Id of the repository.'),
  missing_since: instant('Since when it is missing; null: since this dry run.').nullable(),
  retires_at: instant(
    'From when on a run retires it, if it stays missing; null: the grace begins with the next run.',
  ).nullable(),
});

/** The changes that a run would make now. */
export const DiscoveryPreviewDto = model('DiscoveryPreviewDto', {
  projects_listed: count('Projects that the host listed.'),
  add: list(WantedRepositoryDto, 'Repositories to register, unless one turns out to be empty.'),
  kept: count('Repositories that are registered and still exist.'),
  retire: list(MissingRepositoryDto, 'Missing repositories, which are retired after their grace.'),
  skipped: texts('Paths of matching projects with nothing to index.', 'team/empty'),
});
