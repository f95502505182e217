import { Get, Query } from '@nestjs/common';
import { ProgressStore, type VisibleRepositories } from '@core/domain';
import { ApiRoute, Resource } from '../http/api-route.js';
import { CallerName, RequireRole } from '../access/role.js';
import { type Given } from '../http/model.js';
import { IdParam, Visible } from '../http/parameters.js';
import { ProgressDto, ProgressListDto, ProgressQueryDto, ProgressStatsDto } from './progress.schema.js';
import { ProgressService } from './progress.service.js';

@Resource('progress')
export class ProgressController {
  constructor(
    private readonly progress: ProgressService,
    private readonly store: ProgressStore,
  ) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List live tasks of a user',
    description: 'Tasks that changed within the last minutes, newest first.',
    answers: ProgressListDto,
  })
  async listProgress(
    @Query({ schema: ProgressQueryDto }) query: Given<typeof ProgressQueryDto>,
    @CallerName() caller: string | null,
    @Visible() visible: VisibleRepositories,
  ) {
    const tasks = await this.progress.listOf(query.userId ?? caller ?? '', visible);
    return { items: tasks, total: tasks.length };
  }

  @Get('stats')
  @RequireRole('viewer')
  @ApiRoute({ summary: 'Count live tasks by status', answers: ProgressStatsDto })
  async getProgressStats() {
    const byStatus = await this.store.countByStatus();
    return { total: Object.values(byStatus).reduce((sum, count) => sum + count, 0), byStatus };
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'Show the progress of a task',
    description: 'Also for a run that is queued or ended long ago, from its row.',
    answers: ProgressDto,
  })
  getProgress(@IdParam('execution') taskId: string) {
    return this.progress.get(taskId);
  }
}
