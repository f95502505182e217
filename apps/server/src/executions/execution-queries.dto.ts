import { ApiPropertyOptional } from '@nestjs/swagger';
import {
  EXECUTION_SORTS,
  EXECUTION_STATUSES,
  type ExecutionFilter,
  type ExecutionSort,
  type ExecutionStatus,
  type ExecutionTrigger,
  type SortOf,
} from '@core/domain';
import { FromQueryList, IsOneOf, MayBeAbsent } from '../http/field-rules.js';
import { assertForwards } from '../http/instant-range.js';
import { PageQueryDto } from '../http/page.dto.js';
import { IdFilter, InstantFilter, PodFilter, TriggerFilter } from '../http/query-filters.js';
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

  @TriggerFilter()
  trigger?: ExecutionTrigger;

  @PodFilter()
  pod_name?: string;

  @InstantFilter('Only runs queued at this instant or later.')
  from?: Date;

  @InstantFilter('Only runs queued before this instant.')
  to?: Date;
}

export class ExecutionQueryDto extends ScheduleExecutionsQueryDto {
  @IdFilter('Only runs of this repository.')
  repository_id?: string;

  @IdFilter('Only runs of this schedule.')
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
