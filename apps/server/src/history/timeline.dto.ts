import { ApiProperty } from '@nestjs/swagger';
import { type Timeline, type TimelineBucket, TIMELINE_BUCKETS, type TimelineBucketSize } from '@core/domain';
import { ApiCount, ApiInstant, ApiText } from '../http/api-fields.js';
import { AnsweredRangeDto, workOf, WorkTotalsDto } from './work-totals.dto.js';

export class RunsByOutcomeDto {
  @ApiCount('The index equals the branch.', { example: 23 })
  completed!: number;

  @ApiCount('As completed, but for files that failed.', { example: 1 })
  partial!: number;

  @ApiCount('Ended by an error.', { example: 0 })
  failed!: number;

  @ApiCount('Stopped on request.', { example: 0 })
  cancelled!: number;

  @ApiCount('Ticks that were found too late to run.', { example: 0 })
  missed!: number;

  @ApiCount('Ticks passed over.', { example: 0 })
  skipped!: number;
}

export class TimelineBucketDto {
  @ApiInstant('Where it begins; the first with the range.')
  start!: Date;

  @ApiInstant('Where it ends; the last with the range.')
  end!: Date;

  @ApiProperty({ description: 'Runs queued in it that have ended, by outcome.' })
  runs!: RunsByOutcomeDto;

  @ApiProperty({ description: 'What they did.' })
  totals!: WorkTotalsDto;

  static of(this: void, { start, end, runs, totals }: TimelineBucket): TimelineBucketDto {
    return { start, end, runs, totals: workOf(totals) };
  }
}

export class TimelineDto extends AnsweredRangeDto {
  @ApiProperty({ description: 'Length of a bucket.', enum: TIMELINE_BUCKETS, enumName: 'TimelineBucketSize' })
  bucket!: TimelineBucketSize;

  @ApiText('The zone in which days and weeks begin at midnight.', 'Europe/Berlin')
  timezone!: string;

  @ApiProperty({ description: 'Oldest first, without gaps.', type: [TimelineBucketDto] })
  buckets!: TimelineBucketDto[];

  static of(timeline: Timeline, bucket: TimelineBucketSize, timezone: string): TimelineDto {
    const { from, to, rowsDeletedBefore, buckets } = timeline;
    return {
      from,
      to,
      rows_deleted_before: rowsDeletedBefore,
      bucket,
      timezone,
      buckets: buckets.map(TimelineBucketDto.of),
    };
  }
}
