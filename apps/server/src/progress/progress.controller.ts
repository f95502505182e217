import { Controller, Get, Query } from '@nestjs/common';
import { ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, toList } from '../http/page.dto.js';
import { RequireRole } from '../access/role.js';
import { ProgressDto, ProgressListDto, ProgressStatsDto } from './progress.dto.js';
import { ProgressService } from './progress.service.js';

class ProgressQueryDto {
  @ApiPropertyOptional({ description: 'Whose tasks; default: those of the calling token.', example: 'ci' })
  @IsOptional()
  @IsString()
  @MaxLength(200)
  user_id?: string;
}

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
    @Query() query: ProgressQueryDto,
    @CallerName() caller: string | null,
  ): Promise<ListDto<ProgressDto>> {
    const tasks = await this.progress.listOf(query.user_id ?? caller ?? '');
    return toList({ items: tasks, total: tasks.length }, ProgressDto.of);
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
    description: 'Also of a run that waits or ended long ago: then from its row.',
    answers: ProgressDto,
  })
  async getProgress(@IdParam() taskId: string): Promise<ProgressDto> {
    return ProgressDto.of(await this.progress.get(taskId));
  }
}
