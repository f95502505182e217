import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { present, presentPage, type ListDto } from '../http/model.js';
import { RequireRole } from '../access/role.js';
import { ProgressDto, ProgressListDto, ProgressQueryDto, ProgressStatsDto } from './progress.schema.js';
import { ProgressService } from './progress.service.js';

@ApiTags('progress')
@Controller('api/v1/progress')
export class ProgressController {
  constructor(private readonly progress: ProgressService) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List live tasks of a user',
    description: 'Tasks that changed within the last minutes, newest first.',
    answers: ProgressListDto,
    problems: { 400: 'A filter is wrong; `errors` names each.' },
  })
  async listProgress(
    @Query({ schema: ProgressQueryDto }) query: ProgressQueryDto,
    @CallerName() caller: string | null,
  ): Promise<ListDto<ProgressDto>> {
    const tasks = await this.progress.listOf(query.user_id ?? caller ?? '');
    return presentPage(ProgressDto, { items: tasks, total: tasks.length });
  }

  @Get('stats')
  @RequireRole('viewer')
  @ApiRoute({ summary: 'Count live tasks by status', answers: ProgressStatsDto })
  async getProgressStats(): Promise<ProgressStatsDto> {
    const by_status = await this.progress.countByStatus();
    return { total: Object.values(by_status).reduce((sum, count) => sum + count, 0), by_status };
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiId('execution')
  @ApiRoute({
    summary: 'Show the progress of a task',
    description: 'Also for a run that is queued or ended long ago, from its row.',
    answers: ProgressDto,
  })
  async getProgress(@IdParam() taskId: string): Promise<ProgressDto> {
    return present(ProgressDto, await this.progress.get(taskId));
  }
}
