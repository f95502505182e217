import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, ValidateIf, ValidateNested } from 'class-validator';
import { ARCHIVED_POLICIES, type ArchivedPolicy } from '@core/domain';
import { IsOneOf, IsText, IsWholeNumber, MayBeAbsent } from '../http/field-rules.js';
import { COLLECTION_NAME, DEFAULT_COLLECTION } from '../repositories/collection-name.js';
import { RepositorySettingsDto } from '../repositories/repository-settings.dto.js';
import { ScheduleTemplateDto, TEMPLATE_SCHEMA } from './schedule-template.dto.js';

const MAX_PATTERNS = 100;
/** A year. */
const MAX_GRACE_HOURS = 8760;

function IsPatternList(): PropertyDecorator {
  return (target, property) => {
    for (const rule of [MayBeAbsent(), IsText(500, { each: true }), ArrayMaxSize(MAX_PATTERNS), IsArray()])
      rule(target, property);
  };
}

/** What may be chosen at first and changed afterwards. Rules for files and chunks are those of repositories to come. */
export class DiscoverySettingsDto extends RepositorySettingsDto {
  @ApiPropertyOptional({ description: 'With the projects of subgroups.', type: Boolean, default: true })
  @MayBeAbsent()
  @IsBoolean()
  include_subgroups?: boolean;

  @ApiPropertyOptional({
    description:
      'Of a whole host: only projects that the user of the token is a member of. False: whatever it may see.',
    type: Boolean,
    default: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  members_only?: boolean;

  @ApiPropertyOptional({
    description: 'Only projects whose full path matches one of these globs (picomatch); empty: all.',
    type: [String],
    maxItems: MAX_PATTERNS,
    example: ['team/services/**'],
  })
  @IsPatternList()
  include_projects?: string[];

  @ApiPropertyOptional({
    description: 'No projects whose full path matches one of these globs.',
    type: [String],
    maxItems: MAX_PATTERNS,
    example: ['**/*-archive'],
  })
  @IsPatternList()
  exclude_projects?: string[];

  @ApiPropertyOptional({
    description: 'Names or globs of branches; empty: the default branch of each project.',
    type: [String],
    maxItems: MAX_PATTERNS,
    example: ['main', 'release/*'],
  })
  @IsPatternList()
  branches?: string[];

  @ApiPropertyOptional({
    description: '`exclude`: a project that is archived counts as gone.',
    enum: ARCHIVED_POLICIES,
    enumName: 'ArchivedPolicy',
    default: 'exclude',
  })
  @MayBeAbsent()
  @IsOneOf(ARCHIVED_POLICIES)
  archived_projects?: ArchivedPolicy;

  @ApiPropertyOptional({
    description: 'The collection of new repositories.',
    type: String,
    default: DEFAULT_COLLECTION,
    pattern: COLLECTION_NAME.source,
  })
  @MayBeAbsent()
  @IsText(128)
  collection_name?: string;

  @ApiPropertyOptional({
    description: 'Each new repository gets a schedule made of these; null: none.',
    ...TEMPLATE_SCHEMA,
  })
  @ValidateIf((dto: DiscoverySettingsDto) => dto.schedule !== undefined && dto.schedule !== null)
  @ValidateNested({ message: '$property must be an object' })
  @Type(() => ScheduleTemplateDto)
  schedule?: ScheduleTemplateDto | null;

  @ApiPropertyOptional({ description: 'When to look.', type: String, default: '0 * * * *' })
  @MayBeAbsent()
  @IsText(200)
  cron_expression?: string;

  @ApiPropertyOptional({
    description: 'IANA name of the zone that it is read in.',
    type: String,
    default: 'UTC',
  })
  @MayBeAbsent()
  @IsText(64)
  timezone?: string;

  @ApiPropertyOptional({
    description: 'False: it looks only when it is run by hand.',
    type: Boolean,
    default: true,
  })
  @MayBeAbsent()
  @IsBoolean()
  is_active?: boolean;

  @ApiPropertyOptional({
    description: 'What vanished is deleted and purged so long after it was first missed.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_HOURS,
    default: 24,
  })
  @MayBeAbsent()
  @IsWholeNumber(0, MAX_GRACE_HOURS)
  grace_hours?: number;
}

const NAME = { description: 'Tells it from others.', type: String, example: 'platform' } as const;

export class CreateDiscoveryDto extends DiscoverySettingsDto {
  @ApiPropertyOptional({ ...NAME, description: 'Tells it from others. Default: the group, or the host.' })
  @MayBeAbsent()
  @IsText(200)
  name?: string;

  @ApiPropertyOptional({
    description: 'Full path of the group; null or absent: the whole host.',
    type: String,
    nullable: true,
    example: 'team/platform',
  })
  @ValidateIf((dto: CreateDiscoveryDto) => dto.group_path !== undefined && dto.group_path !== null)
  @IsText(1000)
  group_path?: string | null;

  @ApiPropertyOptional({
    description: 'Address of the GitLab host, with its path prefix if it has one. Default: `GITLAB_URL`.',
    type: String,
    format: 'uri',
    example: 'https://gitlab.example.com',
  })
  @MayBeAbsent()
  @IsText(2000)
  base_url?: string;
}

export class UpdateDiscoveryDto extends DiscoverySettingsDto {
  @ApiPropertyOptional(NAME)
  @MayBeAbsent()
  @IsText(200)
  name?: string;
}

export class RunDiscoveryDto {
  @ApiPropertyOptional({
    description: 'Answer at once what a run would do, and do none of it.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  dry_run?: boolean;

  @ApiPropertyOptional({
    description: 'Confirms that most of the known projects really are gone. The grace applies as ever.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  force?: boolean;
}
