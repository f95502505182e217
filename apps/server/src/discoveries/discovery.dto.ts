import { ApiProperty } from '@nestjs/swagger';
import { ARCHIVED_POLICIES, type ArchivedPolicy, type Discovery } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';
import { TEMPLATE_SCHEMA } from './schedule-template.dto.js';

const list = (description: string, example: string) =>
  ApiProperty({ description, type: [String], example: [example] });
const flag = (description: string) => ApiProperty({ description, type: Boolean, example: true });

/** A `discoveries` row. */
export class DiscoveryDto {
  @ApiUuid('Id of the discovery.')
  id!: string;

  @ApiText('Tells it from others.', 'platform')
  name!: string;

  @ApiText('Address of the code host.', 'https://gitlab.example.com')
  base_url!: string;

  @ApiText('Full path of the group; null: the whole host.', 'team/platform', NULLABLE)
  group_path!: string | null;

  @flag('With the projects of subgroups.')
  include_subgroups!: boolean;

  @flag('Of a whole host: only projects that the user of the token is a member of.')
  members_only!: boolean;

  @list('Only projects that match; empty: all.', 'team/services/**')
  include_projects!: string[];

  @list('No projects that match.', '**/*-archive')
  exclude_projects!: string[];

  @list('Names or globs; empty: the default branch of each project.', 'main')
  branches!: string[];

  @ApiProperty({
    description: '`exclude`: a project that is archived counts as gone.',
    enum: ARCHIVED_POLICIES,
    enumName: 'ArchivedPolicy',
  })
  archived_projects!: ArchivedPolicy;

  @ApiUuid('The stored credential that it lists with; null: the token of the environment.', NULLABLE)
  credential_id!: string | null;

  @ApiText('The collection of new repositories.', 'repotide')
  collection_name!: string;

  @list('Of new repositories: only these files; empty: all.', 'src/**')
  include_globs!: string[];

  @list('Of new repositories: not these files.', '**/*.snap')
  exclude_globs!: string[];

  @ApiCount('Of new repositories: larger files are not indexed.', { example: 1_048_576 })
  max_file_bytes!: number;

  @ApiCount('Of new repositories: characters of a chunk.', { example: 7000 })
  chunk_size!: number;

  @ApiCount('Of new repositories: characters that neighbouring chunks share.', { example: 1500 })
  chunk_overlap!: number;

  @ApiProperty({
    description: 'The schedule of new repositories; null: none.',
    ...TEMPLATE_SCHEMA,
    required: ['cron_expression', 'timezone'],
  })
  schedule!: { cron_expression: string; timezone: string } | null;

  @ApiText('When it looks.', '0 * * * *')
  cron_expression!: string;

  @ApiText('IANA name of the zone that it is read in.', 'UTC')
  timezone!: string;

  @flag('False: it looks only when it is run by hand.')
  is_active!: boolean;

  @ApiCount('What vanished is retired so long after it was first missed.', { example: 24 })
  grace_hours!: number;

  @ApiInstant('When it looks next; null while it is not active.', NULLABLE)
  next_run_at!: Date | null;

  @ApiCount('Grows with every edit; the `ETag`.', { example: 1 })
  revision!: number;

  @ApiInstant('When it was created.')
  created_at!: Date;

  @ApiInstant('When the row changed last.')
  updated_at!: Date;

  static of(this: void, discovery: Discovery): DiscoveryDto {
    const { scheduleCronExpression, scheduleTimezone } = discovery;
    return {
      id: discovery.id,
      name: discovery.name,
      base_url: discovery.baseUrl,
      group_path: discovery.groupPath,
      include_subgroups: discovery.includeSubgroups,
      members_only: discovery.membersOnly,
      include_projects: discovery.includeProjects,
      exclude_projects: discovery.excludeProjects,
      branches: discovery.branches,
      archived_projects: discovery.archivedProjects,
      credential_id: discovery.credentialId,
      collection_name: discovery.collectionName,
      include_globs: discovery.includeGlobs,
      exclude_globs: discovery.excludeGlobs,
      max_file_bytes: discovery.maxFileBytes,
      chunk_size: discovery.chunkSize,
      chunk_overlap: discovery.chunkOverlap,
      schedule:
        scheduleCronExpression === null
          ? null
          : { cron_expression: scheduleCronExpression, timezone: scheduleTimezone },
      cron_expression: discovery.cronExpression,
      timezone: discovery.timezone,
      is_active: discovery.isActive,
      grace_hours: discovery.graceHours,
      next_run_at: discovery.nextRunAt,
      revision: discovery.revision,
      created_at: discovery.createdAt,
      updated_at: discovery.updatedAt,
    };
  }
}

export const DiscoveryListDto = listOf(DiscoveryDto);
