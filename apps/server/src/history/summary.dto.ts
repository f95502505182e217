import { ApiProperty } from '@nestjs/swagger';
import { type HistorySummary } from '@core/domain';
import { ApiCount } from '../http/api-fields.js';
import { type SuggestedLeaseTtl } from './lease-ttl.js';
import { workOf, AnsweredRangeDto, WorkTotalsDto } from './work-totals.dto.js';

export class RunsByStatusDto {
  @ApiCount('Waiting now.', { example: 0 })
  queued!: number;

  @ApiCount('Running now.', { example: 1 })
  running!: number;

  @ApiCount('The index equals the branch.', { example: 160 })
  completed!: number;

  @ApiCount('As completed, but for files that failed.', { example: 3 })
  partial!: number;

  @ApiCount('Ended by an error.', { example: 2 })
  failed!: number;

  @ApiCount('Stopped on request.', { example: 0 })
  cancelled!: number;

  @ApiCount('Ticks that were found too late to run.', { example: 0 })
  missed!: number;

  @ApiCount('Ticks passed over, as when the repository was busy.', { example: 2 })
  skipped!: number;
}

function seconds(description: string, example: number): PropertyDecorator {
  return ApiProperty({ description, type: Number, nullable: true, example });
}

export class DurationsDto {
  @ApiCount('Runs that started and ended, however they ended: the others have no duration.', { example: 165 })
  runs!: number;

  @seconds('Mean.', 12.4)
  mean_seconds!: number | null;

  @seconds('Half of the runs took no longer.', 8.1)
  p50_seconds!: number | null;

  @seconds('95 % of the runs took no longer.', 41.7)
  p95_seconds!: number | null;

  @seconds('The longest.', 318.2)
  max_seconds!: number | null;

  @ApiProperty({
    description:
      'False: p50 and p95 are off by up to 1 %, because rows were deleted or very many runs took equally long.',
    type: Boolean,
    example: true,
  })
  is_exact!: boolean;
}

export class SuggestedLeaseTtlDto implements SuggestedLeaseTtl {
  @ApiCount('For `LEASE_TTL_SECONDS`.', { example: 60 })
  seconds!: number;

  @ApiProperty({
    description: 'How it was computed.',
    example: '95 % of 165 runs took at most 41.7 s: rounded up to 15 s, within 45 s and 300 s.',
  })
  explanation!: string;
}

export class HistorySummaryDto extends AnsweredRangeDto {
  @ApiCount('All runs of the range.', { example: 168 })
  total_runs!: number;

  @ApiProperty({ description: 'How they ended, or where they stand.' })
  runs!: RunsByStatusDto;

  @ApiProperty({
    description: 'Completed among completed, partial and failed; null when there is none of these.',
    type: Number,
    nullable: true,
    minimum: 0,
    maximum: 1,
    example: 0.9697,
  })
  success_rate!: number | null;

  @ApiProperty({ description: 'How long runs took.' })
  durations!: DurationsDto;

  @ApiProperty({ description: 'What they did.' })
  totals!: WorkTotalsDto;

  @ApiProperty({ description: 'A lease life that fits these runs.' })
  suggested_lease_ttl!: SuggestedLeaseTtlDto;

  static of(summary: HistorySummary, suggestion: SuggestedLeaseTtl): HistorySummaryDto {
    const { from, to, rowsDeletedBefore, runs, durations, totals } = summary;
    const judged = runs.completed + runs.partial + runs.failed;
    return {
      from,
      to,
      rows_deleted_before: rowsDeletedBefore,
      total_runs: Object.values(runs).reduce((sum, count) => sum + count, 0),
      runs,
      success_rate: judged === 0 ? null : runs.completed / judged,
      durations: {
        runs: durations.runs,
        mean_seconds: durations.mean,
        p50_seconds: durations.p50,
        p95_seconds: durations.p95,
        max_seconds: durations.max,
        is_exact: durations.isExact,
      },
      totals: workOf(totals),
      suggested_lease_ttl: suggestion,
    };
  }
}
