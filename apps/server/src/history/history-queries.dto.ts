import { ApiPropertyOptional } from '@nestjs/swagger';
import { TIMELINE_BUCKETS, type ExecutionTrigger, type TimelineBucketSize } from '@core/domain';
import { FromQueryNumber, IsOneOf, IsText, IsWholeNumber, MayBeAbsent } from '../http/field-rules.js';
import { IdFilter, InstantFilter, PodFilter, TriggerFilter } from '../http/query-filters.js';

/** Which executions a question is about. */
export class HistoryQueryDto {
  @InstantFilter('Only runs queued at this instant or later. Default: seven days before `to`.')
  from?: Date;

  @InstantFilter('Only runs queued before this instant. Default: now.')
  to?: Date;

  @IdFilter('Only runs of this repository.')
  repository_id?: string;

  @IdFilter('Only runs of this schedule.')
  schedule_id?: string;

  @TriggerFilter()
  trigger?: ExecutionTrigger;

  @PodFilter()
  pod_name?: string;
}

class ZonedHistoryQueryDto extends HistoryQueryDto {
  @ApiPropertyOptional({
    description: 'IANA name of the zone whose clock tells hours and days.',
    type: String,
    default: 'UTC',
    example: 'Europe/Berlin',
  })
  @MayBeAbsent()
  @IsText(64)
  timezone?: string;
}

export class TimelineQueryDto extends ZonedHistoryQueryDto {
  @ApiPropertyOptional({
    description: 'Length of a bucket. Default: `hour` up to 3 days, `day` up to 92, else `week`.',
    enum: TIMELINE_BUCKETS,
    enumName: 'TimelineBucketSize',
  })
  @MayBeAbsent()
  @IsOneOf(TIMELINE_BUCKETS)
  bucket?: TimelineBucketSize;
}

const DEFAULT_SUBJECTS = 20;
const MOST_SUBJECTS = 500;

export class FailuresQueryDto extends ZonedHistoryQueryDto {
  @ApiPropertyOptional({
    description: 'How many repositories and error codes to answer, those with most failures first.',
    type: 'integer',
    minimum: 1,
    maximum: MOST_SUBJECTS,
    default: DEFAULT_SUBJECTS,
  })
  @FromQueryNumber()
  @IsWholeNumber(1, MOST_SUBJECTS)
  limit: number = DEFAULT_SUBJECTS;
}
