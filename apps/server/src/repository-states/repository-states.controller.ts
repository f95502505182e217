import { Get, Query } from '@nestjs/common';
import { RepositoryStates } from '@adapters/postgres';
import { ATTENTION_STATES, type VisibleRepositories } from '@core/domain';
import { RequireRole } from '../access/role.js';
import { ApiRoute, Resource } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import { Visible } from '../http/parameters.js';
import { explainState } from './explain-state.js';
import { RepositoryStateListDto, RepositoryStateQueryDto } from './repository-state.schema.js';

@Resource('repository-states', 'repositories')
export class RepositoryStatesController {
  constructor(private readonly states: RepositoryStates) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List the states of repositories',
    description:
      'Most urgent first, each with its reason and what to do about it; ' +
      `\`?state=${ATTENTION_STATES.join()}\` answers what needs attention.`,
    answers: RepositoryStateListDto,
  })
  async listRepositoryStates(
    @Query({ schema: RepositoryStateQueryDto }) query: Given<typeof RepositoryStateQueryDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    const { id: ids, state: states, search: pathPart, group } = query;
    const page = await this.states.list({ ids, states, pathPart, group, visible }, query);
    return { ...page, items: page.items.map((row) => ({ ...row, ...explainState(row, page) })) };
  }
}
