import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiProblem } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { OpenRoute } from '../http/role.js';
import { LivenessDto, NotReadyProblemDto, ReadinessDto } from './health.dto.js';
import { HealthService } from './health.service.js';

@ApiTags('health')
@Controller('health')
@OpenRoute()
export class HealthController {
  constructor(private readonly health: HealthService) {}

  @Get('live')
  @ApiRoute({
    summary: 'Whether the process lives',
    description: 'Asks nothing outside: a restart would not bring a database back.',
    answers: LivenessDto,
  })
  getLiveness(): LivenessDto {
    return { status: 'ok' };
  }

  @Get('ready')
  @ApiProblem(503, '`not_ready` with each dependency, or `shutting_down`.', NotReadyProblemDto)
  @ApiRoute({ summary: 'Whether the process can serve', answers: ReadinessDto })
  async getReadiness(): Promise<ReadinessDto> {
    return { status: 'ok', checks: await this.health.readiness() };
  }
}
