import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsUUID } from 'class-validator';
import { SCHEDULE_SORTS, type ScheduleSort, type SortOf } from '@core/domain';
import { ApiUuid } from '../http/api-fields.js';
import { FromQueryBoolean, IsText, IsWholeNumber, MayBeAbsent } from '../http/field-rules.js';
import { PageQueryDto } from '../http/page.dto.js';
import { ApiSort } from '../http/sort.js';
import { BudgetSettingsDto } from '../executions/budget.dto.js';

/** A week: a tick that is found later is not worth running any more. */
const MAX_GRACE_SECONDS = 604_800;

class ScheduleSettingsDto extends BudgetSettingsDto {
  @ApiPropertyOptional({
    description: 'IANA name of the zone that the expression is read in.',
    type: String,
    default: 'UTC',
    example: 'Europe/Berlin',
  })
  @MayBeAbsent()
  @IsText(64)
  timezone?: string;

  @ApiPropertyOptional({ description: 'False: it does not run.', type: Boolean, default: true })
  @MayBeAbsent()
  @IsBoolean()
  is_active?: boolean;

  @ApiPropertyOptional({
    description:
      'A tick found later than this is recorded as missed instead of run. Default: `MISFIRE_GRACE_SECONDS`.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    example: 300,
  })
  @MayBeAbsent()
  @IsWholeNumber(0, MAX_GRACE_SECONDS)
  misfire_grace_seconds?: number;
}

const CRON = {
  description: 'Minute, hour, day of month, month, day of week.',
  type: String,
  example: '*/15 * * * *',
} as const;

export class CreateScheduleDto extends ScheduleSettingsDto {
  @ApiUuid('The repository to sync.')
  @IsUUID('all')
  repository_id!: string;

  @ApiProperty(CRON)
  @IsText(200)
  cron_expression!: string;
}

export class UpdateScheduleDto extends ScheduleSettingsDto {
  @ApiPropertyOptional(CRON)
  @MayBeAbsent()
  @IsText(200)
  cron_expression?: string;
}

export class ScheduleQueryDto extends PageQueryDto {
  @ApiSort(SCHEDULE_SORTS, 'created_at')
  sort?: SortOf<ScheduleSort>;

  @ApiPropertyOptional({ description: 'Only schedules of this repository.', type: String, format: 'uuid' })
  @MayBeAbsent()
  @IsUUID('all')
  repository_id?: string;

  @ApiPropertyOptional({ description: 'Only active or only paused ones.', type: Boolean })
  @MayBeAbsent()
  @FromQueryBoolean()
  @IsBoolean()
  is_active?: boolean;
}
