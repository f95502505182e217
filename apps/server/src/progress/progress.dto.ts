import { ApiProperty } from '@nestjs/swagger';
import { STAGES, type ProgressTask, type Stage } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';

/** What people see of one run. */
export class ProgressDto {
  @ApiUuid('Id of the task: its execution.')
  task_id!: string;

  @ApiText('The token that asked for the run; null for a schedule.', 'ci', NULLABLE)
  user_id!: string | null;

  @ApiText('The collection that it writes.', 'repotide')
  collection_name!: string;

  @ApiProperty({ description: 'Stage, or how it ended.', enum: STAGES, enumName: 'Stage' })
  status!: Stage;

  @ApiCount('Per cent; never falls.', { maximum: 100, example: 42 })
  progress!: number;

  @ApiText('The stage again, for displays that count steps.', 'embedding')
  current_step!: string;

  @ApiCount('Steps in all.', { example: 7 })
  total_steps!: number;

  @ApiCount('Number of the step.', { example: 6 })
  current_step_number!: number;

  @ApiText('One line for people.', 'Indexing: 128 chunks read, 64 embedded, 0 stored')
  message!: string;

  @ApiText('Why it failed: code and message.', 'source_unavailable: GitLab does not answer.', NULLABLE)
  error!: string | null;

  @ApiText('The project.', 'team/app')
  repository_path!: string;

  @ApiText('The branch.', 'main')
  branch!: string;

  @ApiCount('Files that this run has to look at.')
  total_files!: number;

  @ApiCount('Files done.')
  processed_files!: number;

  @ApiText('The file at hand.', 'src/main.ts', NULLABLE)
  current_file!: string | null;

  @ApiCount('Files that failed.', { example: 0 })
  failed_files!: number;

  @ApiInstant('When the run began.')
  created_at!: Date;

  @ApiInstant('When it was last heard of.')
  updated_at!: Date;

  @ApiProperty({ description: 'It was cancelled.', type: Boolean, example: false })
  cancelled!: boolean;

  static of(this: void, task: ProgressTask): ProgressDto {
    return {
      task_id: task.taskId,
      user_id: task.userId,
      collection_name: task.collectionName,
      status: task.status,
      progress: task.progress,
      current_step: task.currentStep,
      total_steps: task.totalSteps,
      current_step_number: task.currentStepNumber,
      message: task.message,
      error: task.error,
      repository_path: task.repositoryPath,
      branch: task.branch,
      total_files: task.totalFiles,
      processed_files: task.processedFiles,
      current_file: task.currentFile,
      failed_files: task.failedFiles,
      created_at: task.createdAt,
      updated_at: task.updatedAt,
      cancelled: task.cancelled,
    };
  }
}

export class ProgressListDto extends listOf(ProgressDto) {}

export class ProgressStatsDto {
  @ApiCount('Tasks that are remembered.')
  total!: number;

  @ApiProperty({
    description: 'How many of them are in each stage.',
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { embedding: 2, completed: 5 },
  })
  by_status!: Partial<Record<Stage, number>>;
}
