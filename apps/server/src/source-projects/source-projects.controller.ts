import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Scope } from '@core/domain';
import { RequireRole } from '../access/role.js';
import { ApiRoute, SOURCE_PROBLEMS } from '../http/api-route.js';
import { fieldsOf } from '../http/model.js';
import { CallerScope, RequestSignal } from '../http/parameters.js';
import { SourceProjectListDto, SourceProjectQueryDto } from './source-project.schema.js';
import { SourceProjectsService } from './source-projects.service.js';

@ApiTags('discoveries')
@Controller('api/v1/source-projects')
export class SourceProjectsController {
  constructor(private readonly projects: SourceProjectsService) {}

  @Get()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'List the projects of a GitLab',
    description:
      'Asks the host now, with the token of the environment or a stored credential; so it also tests both. ' +
      'Nothing is registered. What the host answered is used again for a minute, so that pages and searches cost no further request.',
    answers: SourceProjectListDto,
    problems: {
      422: '`group_not_found`, `source_url_invalid`, `url_not_allowed`, `credential_unavailable`, `credential_foreign_host`.',
      ...SOURCE_PROBLEMS,
    },
  })
  listSourceProjects(
    @Query({ schema: SourceProjectQueryDto }) query: SourceProjectQueryDto,
    @CallerScope() scope: Scope,
    @RequestSignal() signal: AbortSignal,
  ) {
    const { baseUrl, credentialId, group, search } = fieldsOf(query);
    return this.projects.list({ baseUrl, credentialId, group, search, scope }, query, signal);
  }
}
