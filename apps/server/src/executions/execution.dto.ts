import { ApiExtraModels, ApiProperty, getSchemaPath } from '@nestjs/swagger';
import {
  EXECUTION_STATUSES,
  EXECUTION_TRIGGERS,
  RUN_HANDLERS,
  type Execution,
  type ExecutionStatus,
  type ExecutionTrigger,
  type RunHandlerName,
  type RunReport,
} from '@core/domain';
import { ApiInstant, ApiCount, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';
import { countersOf, CountersDto } from './counters.dto.js';
import { DryRunReportDto } from './dry-run-report.dto.js';
import { VerifyReportDto } from './verify-report.dto.js';

/** A `schedule_execution_logs` row. */
@ApiExtraModels(DryRunReportDto, VerifyReportDto)
export class ExecutionDto extends CountersDto {
  @ApiUuid('Id of the execution; the `task_id` of its progress.')
  id!: string;

  @ApiUuid('The schedule that asked for it; null for a manual run.', NULLABLE)
  schedule_session_id!: string | null;

  @ApiUuid('The repository that it syncs.')
  repository_id!: string;

  @ApiProperty({ description: 'Who asked.', enum: EXECUTION_TRIGGERS, enumName: 'ExecutionTrigger' })
  trigger!: ExecutionTrigger;

  @ApiProperty({ description: 'What it does.', enum: RUN_HANDLERS, enumName: 'RunHandler' })
  handler!: RunHandlerName;

  @ApiInstant('The tick; null when no schedule asked.', NULLABLE)
  scheduled_for!: Date | null;

  @ApiProperty({ description: 'Where it stands.', enum: EXECUTION_STATUSES, enumName: 'ExecutionStatus' })
  status!: ExecutionStatus;

  @ApiCount('How often it was tried.', { example: 1 })
  attempt!: number;

  @ApiCount('How often its pod was lost in the middle.', { example: 0 })
  interruptions!: number;

  @ApiCount('The number that its writes carry; 0 until it starts.', { example: 7 })
  fence!: number;

  @ApiText('The pod that runs or ran it.', 'repotide-0', NULLABLE)
  pod_name!: string | null;

  @ApiText('The token that asked for it.', 'ci', NULLABLE)
  requested_by!: string | null;

  @ApiProperty({ description: 'Everything was to be built again.', type: Boolean, example: false })
  full_sync!: boolean;

  @ApiCount('Estimated tokens that its caller allowed it to embed; null: no limit of its own.', {
    ...NULLABLE,
    example: null,
  })
  max_embedding_tokens!: number | null;

  @ApiUuid('The ended execution that it does again.', NULLABLE)
  retry_of_execution_id!: string | null;

  @ApiInstant('When it was queued.')
  queued_at!: Date;

  @ApiInstant('Queued until here before it is tried again; null: at once.', NULLABLE)
  available_at!: Date | null;

  @ApiInstant('When its attempt started.', NULLABLE)
  started_at!: Date | null;

  @ApiInstant('When it last showed that it lives.', NULLABLE)
  heartbeat_at!: Date | null;

  @ApiInstant('When it ended.', NULLABLE)
  completed_at!: Date | null;

  @ApiProperty({ description: 'How long it took.', type: Number, nullable: true, example: 3.2 })
  duration_seconds!: number | null;

  @ApiText('The commit that the index stood at.', '1f0e2d3c4b5a69788796a5b4c3d2e1f00f1e2d3c', NULLABLE)
  from_commit!: string | null;

  @ApiText('The commit that it brought the index to.', '8f2c1e0d9b7a6c5d4e3f2a1b0c9d8e7f6a5b4c3d', NULLABLE)
  to_commit!: string | null;

  @ApiText(
    'The ways on which its last attempt read the code host, with the requests of each.',
    'head 1, tree 101, archive 1',
    NULLABLE,
  )
  fetch_strategy!: string | null;

  @ApiProperty({
    description: 'What a dry run, a verify or a repair found; null for all others, and until it ended.',
    // OpenAPI 3.0 heeds "nullable" beside a type only.
    oneOf: [
      { $ref: getSchemaPath(DryRunReportDto) },
      { $ref: getSchemaPath(VerifyReportDto) },
      { type: 'object', nullable: true, enum: [null] },
    ],
    example: null,
  })
  report!: RunReport | null;

  @ApiCount('Ticks that were due too and were folded into this one.', { example: 0 })
  coalesced_count!: number;

  @ApiInstant('When somebody asked to cancel it.', NULLABLE)
  cancel_requested_at!: Date | null;

  @ApiText('Stable name of why it did not complete.', 'branch_not_found', NULLABLE)
  error_code!: string | null;

  @ApiText('What was found, what was expected and what to change.', 'The branch "main" is gone.', NULLABLE)
  error_message!: string | null;

  static of(this: void, execution: Execution): ExecutionDto {
    return {
      id: execution.id,
      schedule_session_id: execution.scheduleSessionId,
      repository_id: execution.repositoryId,
      trigger: execution.trigger,
      handler: execution.handler,
      scheduled_for: execution.scheduledFor,
      status: execution.status,
      attempt: execution.attempt,
      interruptions: execution.interruptions,
      fence: execution.fence,
      pod_name: execution.podName,
      requested_by: execution.requestedBy,
      full_sync: execution.fullSync,
      max_embedding_tokens: execution.maxEmbeddingTokens,
      retry_of_execution_id: execution.retryOfExecutionId,
      queued_at: execution.queuedAt,
      available_at: execution.availableAt,
      started_at: execution.startedAt,
      heartbeat_at: execution.heartbeatAt,
      completed_at: execution.completedAt,
      duration_seconds: execution.durationSeconds,
      ...countersOf(execution),
      from_commit: execution.fromCommit,
      to_commit: execution.toCommit,
      fetch_strategy: execution.fetchStrategy,
      report: execution.report,
      coalesced_count: execution.coalescedCount,
      cancel_requested_at: execution.cancelRequestedAt,
      error_code: execution.errorCode,
      error_message: execution.errorMessage,
    };
  }
}

export const ExecutionListDto = listOf(ExecutionDto);
