import { ApiProperty } from '@nestjs/swagger';
import { type DiscoveryPreview } from '@core/discovery';
import { DISCOVERY_RUN_STATUSES, type DiscoveryRun, type DiscoveryRunStatus } from '@core/domain';
import { ApiCount, ApiInstant, ApiText, ApiUuid, NULLABLE } from '../http/api-fields.js';
import { listOf } from '../http/page.dto.js';

/** A `discovery_runs` row. */
export class DiscoveryRunDto {
  @ApiUuid('Id of the run.')
  id!: string;

  @ApiUuid('The discovery that ran.')
  discovery_id!: string;

  @ApiProperty({ description: 'What asked for it.', enum: ['cron', 'manual'], example: 'cron' })
  trigger!: 'cron' | 'manual';

  @ApiProperty({
    description: '`partial`: some projects could not be looked at.',
    enum: DISCOVERY_RUN_STATUSES,
    enumName: 'DiscoveryRunStatus',
  })
  status!: DiscoveryRunStatus;

  @ApiProperty({ description: 'A great loss was confirmed.', type: Boolean, example: false })
  force!: boolean;

  @ApiText('Who asked for it; null: its schedule.', 'ada', NULLABLE)
  requested_by!: string | null;

  @ApiText('The pod that ran it last.', 'repotide-0', NULLABLE)
  pod_name!: string | null;

  @ApiInstant('When it was asked for.')
  queued_at!: Date;

  @ApiInstant('When it started.', NULLABLE)
  started_at!: Date | null;

  @ApiInstant('When it ended.', NULLABLE)
  completed_at!: Date | null;

  @ApiCount('Projects that the host listed.')
  projects_listed!: number;

  @ApiCount('Repositories that were registered.')
  added!: number;

  @ApiCount('Repositories that were registered before, by whomever, and are still there.')
  kept!: number;

  @ApiCount('Those of them that were missing before.')
  restored!: number;

  @ApiCount('Repositories that are not there now and wait for their grace to pass.')
  missing!: number;

  @ApiCount('Repositories that were deleted; their points are purged in the background.')
  retired!: number;

  @ApiCount('Projects with nothing to index: empty, or their code may not be read.')
  skipped!: number;

  @ApiCount('Projects that could not be looked at; they stay as they were.')
  failed!: number;

  @ApiText('Why it failed or is partial.', 'discovery_loss_refused', NULLABLE)
  error_code!: string | null;

  @ApiText('The same for people.', 'GitLab listed 0 project(s), ...', NULLABLE)
  error_message!: string | null;

  static of(this: void, run: DiscoveryRun): DiscoveryRunDto {
    return {
      id: run.id,
      discovery_id: run.discoveryId,
      trigger: run.trigger,
      status: run.status,
      force: run.force,
      requested_by: run.requestedBy,
      pod_name: run.podName,
      queued_at: run.queuedAt,
      started_at: run.startedAt,
      completed_at: run.completedAt,
      projects_listed: run.projectsListed,
      added: run.added,
      kept: run.kept,
      restored: run.restored,
      missing: run.missing,
      retired: run.retired,
      skipped: run.skipped,
      failed: run.failed,
      error_code: run.errorCode,
      error_message: run.errorMessage,
    };
  }
}

export const DiscoveryRunListDto = listOf(DiscoveryRunDto);

class WantedRepositoryDto {
  @ApiProperty({ description: 'The numeric id of the project.', type: 'integer', example: 42 })
  project_id!: number;

  @ApiText('Full path of the project.', 'team/platform/api')
  project_path!: string;

  @ApiText('The branch.', 'main')
  branch!: string;
}

class MissingRepositoryDto extends WantedRepositoryDto {
  @ApiUuid('Id of the repository.')
  repository_id!: string;

  @ApiInstant('Since when it is missed; null: since this look.', NULLABLE)
  missing_since!: Date | null;

  @ApiInstant(
    'From when on a run retires it, if it stays away; null: the grace begins with the next run.',
    NULLABLE,
  )
  retires_at!: Date | null;
}

/** What a run would do now. */
export class DiscoveryPreviewDto {
  @ApiCount('Projects that the host listed.')
  projects_listed!: number;

  @ApiProperty({
    description: 'Would be registered, unless one of them turns out to be empty.',
    type: [WantedRepositoryDto],
  })
  add!: WantedRepositoryDto[];

  @ApiCount('Registered and still there.')
  kept!: number;

  @ApiProperty({
    description: 'Not there; would be retired after their grace.',
    type: [MissingRepositoryDto],
  })
  retire!: MissingRepositoryDto[];

  @ApiProperty({
    description: 'Paths of wanted projects with nothing to index.',
    type: [String],
    example: ['team/empty'],
  })
  skipped!: string[];

  static of(this: void, preview: DiscoveryPreview, graceHours: number): DiscoveryPreviewDto {
    return {
      projects_listed: preview.projectsListed,
      add: preview.add.map(({ projectId, projectPath, branch }) => ({
        project_id: projectId,
        project_path: projectPath,
        branch,
      })),
      kept: preview.kept,
      retire: preview.missing.map(({ id, projectId, projectPath, branch, missingSince }) => ({
        repository_id: id,
        project_id: projectId,
        project_path: projectPath,
        branch,
        missing_since: missingSince,
        retires_at: missingSince && new Date(missingSince.getTime() + graceHours * 3_600_000),
      })),
      skipped: preview.skipped,
    };
  }
}
