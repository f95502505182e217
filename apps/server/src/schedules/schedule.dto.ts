import { ApiProperty } from '@nestjs/swagger';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';
import { type UpcomingSchedule } from './schedules.service.js';

/** A `schedule_sessions` row and its next ticks. */
export class ScheduleDto {
  @ApiUuid('Id of the schedule.')
  id!: string;

  @ApiUuid('The repository that it syncs.')
  repository_id!: string;

  @ApiText('Minute, hour, day of month, month, day of week.', '*/15 * * * *')
  cron_expression!: string;

  @ApiText('IANA name of the zone that the expression is read in.', 'Europe/Berlin')
  timezone!: string;

  @ApiProperty({ description: 'False while it is paused.', type: Boolean, example: true })
  is_active!: boolean;

  @ApiCount('A tick found later than this is recorded as missed instead of run.', { example: 300 })
  misfire_grace_seconds!: number;

  @ApiCount('Estimated tokens that one run may embed; null: no limit.', { ...NULLABLE, example: 2_000_000 })
  max_embedding_tokens_per_run!: number | null;

  @ApiCount(
    'Estimated tokens that all runs of the repository may have embedded in 24 hours; null: no limit.',
    {
      ...NULLABLE,
      example: 10_000_000,
    },
  )
  max_embedding_tokens_per_day!: number | null;

  @ApiCount('A run stops cleanly after this time; 0: never; null: `RUN_TIME_BUDGET_SECONDS`.', {
    ...NULLABLE,
    example: 900,
  })
  time_budget_seconds!: number | null;

  @ApiInstant('The tick that comes next, as stored for all pods; null while paused.', NULLABLE)
  next_run_at!: Date | null;

  @ApiProperty({
    description: 'Its next five ticks, soonest first; empty while paused.',
    type: 'array',
    items: { type: 'string', format: 'date-time' },
    maxItems: 5,
    example: ['2026-11-20T09:00:00.000Z', '2026-11-20T09:15:00.000Z'],
  })
  next_ticks!: Date[];

  @ApiInstant('When a run of it completed last.', NULLABLE)
  last_sync_at!: Date | null;

  @ApiCount('Grows with every edit; the `ETag`.', { example: 1 })
  revision!: number;

  @ApiInstant('When it was created.')
  created_at!: Date;

  @ApiInstant('When the row changed last.')
  updated_at!: Date;

  static of(this: void, { schedule, nextTicks }: UpcomingSchedule): ScheduleDto {
    return {
      id: schedule.id,
      repository_id: schedule.repositoryId,
      cron_expression: schedule.cronExpression,
      timezone: schedule.timezone,
      is_active: schedule.isActive,
      misfire_grace_seconds: schedule.misfireGraceSeconds,
      max_embedding_tokens_per_run: schedule.maxEmbeddingTokensPerRun,
      max_embedding_tokens_per_day: schedule.maxEmbeddingTokensPerDay,
      time_budget_seconds: schedule.timeBudgetSeconds,
      next_run_at: schedule.nextRunAt,
      next_ticks: nextTicks,
      last_sync_at: schedule.lastSyncAt,
      revision: schedule.revision,
      created_at: schedule.createdAt,
      updated_at: schedule.updatedAt,
    };
  }
}

export const ScheduleListDto = listOf(ScheduleDto);
