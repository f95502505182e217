import { ApiProperty } from '@nestjs/swagger';
import { ApiText, NULLABLE } from '../http/api-fields.js';
import { ProblemDto } from '../http/problem.dto.js';
import { type DependencyHealth, type Readiness } from './health.service.js';

export class LivenessDto {
  @ApiProperty({ description: 'The process answers.', enum: ['ok'] })
  status!: 'ok';
}

export class DependencyHealthDto implements DependencyHealth {
  @ApiProperty({ description: 'Whether it answered.', enum: ['up', 'down'] })
  status!: 'up' | 'down';

  @ApiText('Stable name of what is wrong with it.', 'vector_store_unavailable', NULLABLE)
  error_code!: string | null;
}

export class DependenciesDto implements Readiness {
  @ApiProperty({ description: 'Postgres.' })
  database!: DependencyHealthDto;

  @ApiProperty({ description: 'Qdrant, or the embedded store.' })
  vector_store!: DependencyHealthDto;

  @ApiProperty({ description: 'What carries queued runs to workers.' })
  queue!: DependencyHealthDto;

  @ApiProperty({ description: 'What keeps two runs of a repository apart.' })
  locks!: DependencyHealthDto;
}

export class ReadinessDto {
  @ApiProperty({ description: 'Everything answers.', enum: ['ok'] })
  status!: 'ok';

  @ApiProperty({ description: 'Each dependency.' })
  checks!: DependenciesDto;
}

export class NotReadyProblemDto extends ProblemDto {
  @ApiProperty({ description: 'Each dependency; absent while the process shuts down.', required: false })
  checks?: DependenciesDto;
}
