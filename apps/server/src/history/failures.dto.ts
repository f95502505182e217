import { ApiProperty } from '@nestjs/swagger';
import { type FailureBreakdown, type FailureCounts } from '@core/domain';
import { ApiCount, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { AnsweredRangeDto } from './work-totals.dto.js';

export class FailureCountsDto {
  @ApiCount('Failed, partial and missed together.', { example: 4 })
  failures!: number;

  @ApiCount('Ended by an error.', { example: 2 })
  failed!: number;

  @ApiCount('Completed but for files that failed.', { example: 1 })
  partial!: number;

  @ApiCount('Ticks that were found too late to run.', { example: 1 })
  missed!: number;
}

export class FailuresByHourDto extends FailureCountsDto {
  @ApiProperty({ description: 'Hour of the day.', type: 'integer', minimum: 0, maximum: 23, example: 3 })
  hour!: number;
}

export class FailuresByRepositoryDto extends FailureCountsDto {
  @ApiUuid('The repository, deleted or not.')
  repository_id!: string;

  @ApiText('Full path of its project.', 'group/project')
  project_path!: string;

  @ApiText('Its branch.', 'main')
  branch!: string;
}

export class FailuresByErrorCodeDto extends FailureCountsDto {
  @ApiText('Stable name of what went wrong; null where none was recorded.', 'branch_not_found', NULLABLE)
  error_code!: string | null;
}

export class FailureBreakdownDto extends AnsweredRangeDto {
  @ApiText('The zone whose clock tells the hours.', 'Europe/Berlin')
  timezone!: string;

  @ApiProperty({ description: 'All of the range.' })
  total!: FailureCountsDto;

  @ApiProperty({
    description: '24 entries, by the hour in which the run was queued.',
    type: [FailuresByHourDto],
  })
  by_hour!: FailuresByHourDto[];

  @ApiProperty({ description: 'Most failures first.', type: [FailuresByRepositoryDto] })
  by_repository!: FailuresByRepositoryDto[];

  @ApiProperty({ description: 'Most failures first.', type: [FailuresByErrorCodeDto] })
  by_error_code!: FailuresByErrorCodeDto[];

  static of(breakdown: FailureBreakdown, timezone: string): FailureBreakdownDto {
    return {
      from: breakdown.from,
      to: breakdown.to,
      rows_deleted_before: breakdown.rowsDeletedBefore,
      timezone,
      total: countsOf(breakdown.total),
      by_hour: breakdown.byHour.map((row) => ({ hour: row.hour, ...countsOf(row) })),
      by_repository: breakdown.byRepository.map((row) => ({
        repository_id: row.repositoryId,
        project_path: row.projectPath,
        branch: row.branch,
        ...countsOf(row),
      })),
      by_error_code: breakdown.byErrorCode.map((row) => ({ error_code: row.errorCode, ...countsOf(row) })),
    };
  }
}

function countsOf({ failed, partial, missed }: FailureCounts): FailureCountsDto {
  return { failures: failed + partial + missed, failed, partial, missed };
}
