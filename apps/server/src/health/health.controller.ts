import { Controller, Get } from '@nestjs/common';
import { ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { OpenRoute } from '../access/role.js';
import { LivenessDto, NotReadyProblemDto, ReadinessDto } from './health.schema.js';
import { HealthService } from './health.service.js';

const READINESS = {
  answers: ReadinessDto,
  problems: {
    503: { description: '`not_ready` with each dependency, or `shutting_down`.', model: NotReadyProblemDto },
  },
};

@ApiTags('health')
@Controller('health')
@OpenRoute()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @ApiOperation({
    summary: 'Whether the process answers',
    description: 'Checks no dependency, because a restart would not repair a database.',
  })
  @ApiResponse({ status: 200, description: 'The process answers.', standardSchema: LivenessDto })
  getLiveness(): LivenessDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiRoute({
    summary: 'Whether the process can serve',
    description:
      'A process with the role api is ready while Postgres answers; `roles` shows whether it takes work. Without that role ' +
      'a process is ready while it can do the work of its roles.',
    ...READINESS,
  })
  async getReadiness() {
    return { status: 'ok' as const, ...(await this.health.readiness()) };
  }

  @Get()
  @ApiRoute({ summary: 'The same as `/health/ready`', ...READINESS })
  getHealth() {
    return this.getReadiness();
  }
}
