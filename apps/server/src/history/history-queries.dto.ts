import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import {
  EXECUTION_TRIGGERS,
  TIMELINE_BUCKETS,
  type ExecutionTrigger,
  type TimelineBucketSize,
} from '@core/domain';
import {
  FromQueryNumber,
  IsInstant,
  IsOneOf,
  IsText,
  IsWholeNumber,
  MayBeAbsent,
} from '../http/field-rules.js';

/** Which executions a question is about. */
export class HistoryQueryDto {
  @ApiPropertyOptional({
    description: 'Only runs queued at this instant or later. Default: seven days before `to`.',
    type: String,
    format: 'date-time',
  })
  @MayBeAbsent()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({
    description: 'Only runs queued before this instant. Default: now.',
    type: String,
    format: 'date-time',
  })
  @MayBeAbsent()
  @IsInstant()
  to?: Date;

  @ApiPropertyOptional({ description: 'Only runs of this repository.', type: String, format: 'uuid' })
  @MayBeAbsent()
  @IsUUID('all')
  repository_id?: string;

  @ApiPropertyOptional({ description: 'Only runs of this schedule.', type: String, format: 'uuid' })
  @MayBeAbsent()
  @IsUUID('all')
  schedule_id?: string;

  @ApiPropertyOptional({
    description: 'Only runs that were asked for in this way.',
    enum: EXECUTION_TRIGGERS,
    enumName: 'ExecutionTrigger',
  })
  @MayBeAbsent()
  @IsOneOf(EXECUTION_TRIGGERS)
  trigger?: ExecutionTrigger;

  @ApiPropertyOptional({ description: 'Only runs of this pod.', example: 'repotide-0' })
  @MayBeAbsent()
  @IsText(255)
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
