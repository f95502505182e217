import { z } from 'zod';
import { list, oneOf, shown } from '../http/fields.js';
import { model, type RowOf } from '../http/model.js';
import { ProblemDto } from '../http/api-route.js';

export const LivenessDto = model('LivenessDto', { status: oneOf(['ok'], 'The process answers.') });
export type LivenessDto = z.output<typeof LivenessDto>;

const DependencyHealthDto = model('DependencyHealthDto', {
  status: oneOf(['up', 'down'], 'Whether it answered.'),
  error_code: shown('Stable name of what is wrong with it.', 'vector_store_unavailable').nullable(),
  limits: list(
    z.string(),
    'What does not work although it answers: what the key of Qdrant turned out not to permit.',
  ),
});

export const DependenciesDto = model('DependenciesDto', {
  database: DependencyHealthDto.describe('Postgres.'),
  vector_store: DependencyHealthDto.describe('Qdrant, or the embedded store.'),
  queue: DependencyHealthDto.describe('The queue between scheduler and workers.'),
  locks: DependencyHealthDto.describe('The leases that keep two runs of a repository apart.'),
});
export type Readiness = RowOf<typeof DependenciesDto>;

export const ReadinessDto = model('ReadinessDto', {
  status: oneOf(['ok'], 'All dependencies answer.'),
  checks: DependenciesDto.describe('Each dependency.'),
});

export const NotReadyProblemDto = model('NotReadyProblemDto', {
  ...ProblemDto.shape,
  checks: DependenciesDto.describe('Each dependency; absent while the process shuts down.').optional(),
});
