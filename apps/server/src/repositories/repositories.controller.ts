import { Body, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { RepositoryStore, type Scope, type VisibleRepositories } from '@core/domain';
import { type Response } from 'express';
import { ApiRoute, header, Resource, SOURCE_PROBLEMS } from '../http/api-route.js';
import {
  CallerScope,
  IdParam,
  Visible,
  someChange,
  RequestSignal,
  ExpectedRevision,
} from '../http/parameters.js';
import { type Given } from '../http/model.js';
import { RequireRole } from '../access/role.js';
import { assertGitUrl } from './git-url.js';
import { RegistrationService } from './registration.service.js';
import { RepositoriesService } from './repositories.service.js';
import {
  CreateRepositoryDto,
  RepositoryDto,
  RepositoryListDto,
  RepositoryQueryDto,
  RepositorySettingsDto,
} from './repository.schema.js';

@Resource('repositories')
export class RepositoriesController {
  constructor(
    private readonly store: RepositoryStore,
    private readonly repositories: RepositoriesService,
    private readonly registration: RegistrationService,
  ) {}

  @Post()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Register a repository',
    description:
      'Checks that the project and the branch exist before anything is stored. A project of GitLab is named by its path or ' +
      'number; a repository at any other git host by `git_url`.',
    answers: RepositoryDto,
    isTagged: true,
    createsUnder: '/api/v1/repositories',
    problems: {
      409:
        '`repository_exists`: this project and branch is registered; `repository_id` names the repository. ' +
        '`collection_mismatch`: Qdrant has a ' +
        'collection with the name `collection_name` that does not fit: other vectors, points, or the index of another database.',
      422:
        '`project_not_found`, `branch_not_found`, `branch_required`, `source_url_invalid`, `url_not_allowed`, ' +
        '`collection_name_invalid`, `chunk_overlap_invalid`.',
      ...SOURCE_PROBLEMS,
    },
  })
  createRepository(
    @Body({ schema: CreateRepositoryDto }) body: Given<typeof CreateRepositoryDto>,
    @CallerScope() scope: Scope,
    @RequestSignal() signal: AbortSignal,
  ) {
    const { projectId, projectPath, gitUrl, ...settings } = body;
    // The body has exactly one of the three.
    const project = projectId ?? projectPath ?? assertGitUrl(gitUrl!);
    return this.registration.register({ ...settings, project }, signal, scope);
  }

  @Get()
  @RequireRole('viewer')
  @ApiRoute({ summary: 'List repositories', answers: RepositoryListDto })
  listRepositories(
    @Query({ schema: RepositoryQueryDto }) query: Given<typeof RepositoryQueryDto>,
    @Visible() visible: VisibleRepositories,
  ) {
    const { id: ids, search: pathPart, ...filter } = query;
    return this.store.list({ ...filter, ids, pathPart, visible }, query);
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiRoute({ summary: 'Show a repository', answers: RepositoryDto, isTagged: true })
  getRepository(@IdParam('repository') repositoryId: string) {
    return this.repositories.get(repositoryId);
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Change a repository',
    description:
      'The next run obeys the change. Project and collection cannot change: register another repository.',
    answers: RepositoryDto,
    isTagged: true,
    problems: {
      409: '`repository_exists`: the other branch is registered too; `repository_id` names the repository.',
      422: '`chunk_overlap_invalid`, `project_not_found`, `branch_not_found`, `credential_unavailable`.',
      ...SOURCE_PROBLEMS,
    },
  })
  updateRepository(
    @IdParam('repository') repositoryId: string,
    @Body({ schema: RepositorySettingsDto }) body: Given<typeof RepositorySettingsDto>,
    @ExpectedRevision() revision: number | undefined,
    @RequestSignal() signal: AbortSignal,
  ) {
    const changes = someChange(body);
    return this.repositories.update(repositoryId, changes, revision, signal);
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Delete a repository',
    description:
      'It disappears at once with its schedules; its points are purged in the background, and `Location` is the address of its progress.',
    status: 204,
    headers: { Location: header('Address of the purge.') },
  })
  async deleteRepository(
    @IdParam('repository') repositoryId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.repositories.remove(repositoryId);
    response.location(`/api/v1/repositories/${repositoryId}/purge`);
  }
}
