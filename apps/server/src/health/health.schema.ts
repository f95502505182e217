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
  database: DependencyHealthDto.describe('Postgres, which also has the queue.'),
  vector_store: DependencyHealthDto.describe('Qdrant, or the embedded store.'),
  locks: DependencyHealthDto.describe('The leases that keep two runs of a repository apart.'),
});
export type Dependencies = RowOf<typeof DependenciesDto>;

export const RoleDto = model('RoleReadinessDto', {
  role: oneOf(['api', 'scheduler', 'worker'], 'A role of this process.'),
  status: oneOf(['ready', 'paused'], 'Whether the process can do its work. It continues by itself.'),
  waits_for: list(z.string(), 'The dependencies that it needs and that do not answer.', {
    example: ['locks'],
  }),
});

export const ReadinessDto = model('ReadinessDto', {
  status: oneOf(['ok'], 'The process serves the API, or, without that role, can do its work.'),
  checks: DependenciesDto.describe('Each dependency.'),
  roles: list(RoleDto, 'Each role of the process.'),
});
export type Readiness = Omit<RowOf<typeof ReadinessDto>, 'status'>;

export const NotReadyProblemDto = model('NotReadyProblemDto', {
  ...ProblemDto.shape,
  checks: DependenciesDto.describe('Each dependency; absent while the process shuts down.').optional(),
  roles: list(RoleDto, 'Each role of the process; absent while the process shuts down.').optional(),
});
