import { type Execution, type Repository } from '@core/domain';
import { ExecutionDto, present, SearchHitDto, type Answer } from '../../../server/src/index.js';
import { type Schemas } from '../service/client.js';

/** An execution as the API answers it. */
export function asAnswered(
  execution: Execution,
  { projectPath, branch }: Pick<Repository, 'projectPath' | 'branch'>,
): Schemas['ExecutionDto'] {
  return throughJson(present(ExecutionDto, { ...execution, projectPath, branch })) as Schemas['ExecutionDto'];
}

/** A search hit as the API answers it. */
export function hitAsAnswered(hit: Answer): Schemas['SearchHitDto'] {
  return throughJson(present(SearchHitDto, hit)) as Schemas['SearchHitDto'];
}

function throughJson(value: object): unknown {
  return JSON.parse(JSON.stringify(value));
}
