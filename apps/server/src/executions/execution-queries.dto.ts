import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsUUID } from 'class-validator';
import {
  EXECUTION_SORTS,
  EXECUTION_STATUSES,
  EXECUTION_TRIGGERS,
  type ExecutionFilter,
  type ExecutionSort,
  type ExecutionStatus,
  type ExecutionTrigger,
  type SortOf,
} from '@core/domain';
import { FromQueryList, IsInstant, IsOneOf, IsText, MayBeAbsent } from '../http/field-rules.js';
import { assertForwards } from '../http/instant-range.js';
import { PageQueryDto } from '../http/page.dto.js';
import { ApiSort } from '../http/sort.js';

/** Filters of the executions of one schedule. */
export class ScheduleExecutionsQueryDto extends PageQueryDto {
  @ApiSort(EXECUTION_SORTS, '-queued_at')
  sort?: SortOf<ExecutionSort>;

  @ApiPropertyOptional({
    description: 'Only these statuses; repeat it or separate by commas.',
    enum: EXECUTION_STATUSES,
    enumName: 'ExecutionStatus',
    isArray: true,
    example: ['failed', 'partial'],
  })
  @MayBeAbsent()
  @FromQueryList()
  @IsOneOf(EXECUTION_STATUSES, { each: true })
  status?: ExecutionStatus[];

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

  @ApiPropertyOptional({
    description: 'Only runs queued at this instant or later.',
    type: String,
    format: 'date-time',
  })
  @MayBeAbsent()
  @IsInstant()
  from?: Date;

  @ApiPropertyOptional({
    description: 'Only runs queued before this instant.',
    type: String,
    format: 'date-time',
  })
  @MayBeAbsent()
  @IsInstant()
  to?: Date;
}

export class ExecutionQueryDto extends ScheduleExecutionsQueryDto {
  @ApiPropertyOptional({ description: 'Only runs of this repository.', type: String, format: 'uuid' })
  @MayBeAbsent()
  @IsUUID('all')
  repository_id?: string;

  @ApiPropertyOptional({ description: 'Only runs of this schedule.', type: String, format: 'uuid' })
  @MayBeAbsent()
  @IsUUID('all')
  schedule_id?: string;
}

/** @throws InvalidRequest for a range that ends before it begins. */
export function filterOf(query: Omit<ExecutionQueryDto, keyof PageQueryDto | 'sort'>): ExecutionFilter {
  assertForwards(query);
  return {
    repositoryId: query.repository_id,
    scheduleId: query.schedule_id,
    status: query.status,
    trigger: query.trigger,
    podName: query.pod_name,
    from: query.from,
    to: query.to,
  };
}
