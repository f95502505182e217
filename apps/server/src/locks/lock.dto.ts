import { ApiProperty } from '@nestjs/swagger';
import { EXECUTION_STATUSES, type ExecutionStatus } from '@core/domain';
import { IsText, Trimmed } from '../http/field-rules.js';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';
import { type Lock } from './locks.service.js';

export class ReleaseQueryDto {
  @ApiProperty({
    description: 'Why; recorded in the audit log.',
    type: String,
    maxLength: 500,
    example: 'The pod hangs.',
  })
  @Trimmed()
  @IsText(500)
  reason!: string;
}

/** The lease on a repository. */
export class LockDto {
  @ApiUuid('The repository that it keeps for one run.')
  repository_id!: string;

  @ApiText('Full path of its project; null when it is unknown.', 'group/project', NULLABLE)
  project_path!: string | null;

  @ApiText('The branch that it follows; null when it is unknown.', 'main', NULLABLE)
  branch!: string | null;

  @ApiText('The pod that holds it.', 'repotide-0')
  pod_name!: string;

  @ApiUuid('The execution that it is held for.')
  execution_id!: string;

  @ApiCount('The number that its writes carry.', { example: 7 })
  fence!: number;

  @ApiInstant('Since when: the start of the attempt; null when the execution is unknown.', NULLABLE)
  held_since!: Date | null;

  @ApiInstant(
    'When it ends unless it is renewed; null when it lives as long as its holder’s connection or process.',
    NULLABLE,
  )
  expires_at!: Date | null;

  @ApiProperty({
    description: 'Where the execution stands; null when it is unknown.',
    enum: [...EXECUTION_STATUSES, null],
    nullable: true,
    type: String,
    example: 'running',
  })
  execution_status!: ExecutionStatus | null;

  @ApiInstant('When the execution last showed that it lives.', NULLABLE)
  heartbeat_at!: Date | null;

  @ApiInstant('When somebody asked to cancel it.', NULLABLE)
  cancel_requested_at!: Date | null;

  static of(this: void, { lease, execution, repository }: Lock): LockDto {
    return {
      repository_id: lease.repositoryId,
      project_path: repository?.projectPath ?? null,
      branch: repository?.branch ?? null,
      pod_name: lease.podName,
      execution_id: lease.executionId,
      fence: lease.fence,
      held_since: execution?.startedAt ?? null,
      expires_at: lease.expiresAt,
      execution_status: execution?.status ?? null,
      heartbeat_at: execution?.heartbeatAt ?? null,
      cancel_requested_at: execution?.cancelRequestedAt ?? null,
    };
  }
}

export const LockListDto = listOf(LockDto);
