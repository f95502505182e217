import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { type Repository, type RepositoryChanges } from '@core/domain';
import { INVALID_FORM, SOURCE_PROBLEMS } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, toList } from '../http/page.dto.js';
import { presentFields, someChange } from '../http/present-fields.js';
import { RequestSignal } from '../http/request-signal.js';
import { ApiIfMatch, ExpectedRevision, REVISION_HEADER, tagRevision } from '../http/revision.js';
import { RequireRole } from '../access/role.js';
import { CreateRepositoryDto } from './create-repository.dto.js';
import { RegistrationService } from './registration.service.js';
import { RepositoriesService } from './repositories.service.js';
import { RepositoryQueryDto } from './repository-queries.dto.js';
import { RepositorySettingsDto } from './repository-settings.dto.js';
import { RepositoryDto, RepositoryListDto } from './repository.dto.js';

@ApiTags('repositories')
@Controller('api/v1/repositories')
export class RepositoriesController {
  constructor(
    private readonly repositories: RepositoriesService,
    private readonly registration: RegistrationService,
  ) {}

  @Post()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Register a repository',
    description: 'Proves that the project and the branch exist before anything is stored.',
    status: 201,
    answers: RepositoryDto,
    headers: { ...REVISION_HEADER, Location: 'Address of the repository.' },
    problems: {
      400: INVALID_FORM,
      409: '`repository_exists`: this project and branch is registered.',
      422:
        '`project_not_found`, `branch_not_found`, `branch_required`, `source_url_invalid`, `url_not_allowed`, ' +
        '`collection_name_invalid`, `chunk_size_exceeds_model`, `chunk_overlap_invalid`.',
      ...SOURCE_PROBLEMS,
    },
  })
  async createRepository(
    @Body() body: CreateRepositoryDto,
    @RequestSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RepositoryDto> {
    const repository = await this.registration.register(
      {
        ...changesOf(body),
        // The DTO has exactly one of the two.
        project: body.project_id ?? body.project_path!,
        branch: body.branch,
        baseUrl: body.base_url,
        collectionName: body.collection_name,
      },
      signal,
    );
    response.location(`/api/v1/repositories/${repository.id}`);
    return answer(repository, response);
  }

  @Get()
  @RequireRole('viewer')
  @ApiRoute({ summary: 'List repositories', answers: RepositoryListDto, problems: { 400: INVALID_FORM } })
  async listRepositories(@Query() query: RepositoryQueryDto): Promise<ListDto<RepositoryDto>> {
    const filter = {
      ids: query.id,
      projectPath: query.project_path,
      pathPart: query.search,
      branch: query.branch,
      collectionName: query.collection_name,
      includeDeleted: query.include_deleted,
    };
    return toList(await this.repositories.list(filter, query), RepositoryDto.of);
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiId('repository')
  @ApiRoute({ summary: 'Show a repository', answers: RepositoryDto, headers: REVISION_HEADER })
  async getRepository(
    @IdParam() repositoryId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RepositoryDto> {
    return answer(await this.repositories.get(repositoryId), response);
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiId('repository')
  @ApiIfMatch()
  @ApiRoute({
    summary: 'Change a repository',
    description:
      'The next run obeys the change. Project, branch and collection cannot change: register anew.',
    answers: RepositoryDto,
    headers: REVISION_HEADER,
    problems: {
      422: '`chunk_size_exceeds_model`, `chunk_overlap_invalid`, `project_not_found`, `credential_unavailable`.',
      ...SOURCE_PROBLEMS,
    },
  })
  async updateRepository(
    @IdParam() repositoryId: string,
    @Body() body: RepositorySettingsDto,
    @ExpectedRevision() revision: number | undefined,
    @RequestSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RepositoryDto> {
    return answer(
      await this.repositories.update(repositoryId, someChange(changesOf(body)), revision, signal),
      response,
    );
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiId('repository')
  @ApiRoute({
    summary: 'Delete a repository',
    description:
      'It disappears at once with its schedules; its points are purged in the background, and `Location` shows how far.',
    status: 204,
    headers: { Location: 'Address of the purge.' },
  })
  async deleteRepository(
    @IdParam() repositoryId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.repositories.remove(repositoryId);
    response.location(`/api/v1/repositories/${repositoryId}/purge`);
  }
}

function changesOf(body: RepositorySettingsDto): RepositoryChanges {
  const changes: RepositoryChanges = {
    includeGlobs: body.include_globs,
    excludeGlobs: body.exclude_globs,
    maxFileBytes: body.max_file_bytes,
    chunkSize: body.chunk_size,
    chunkOverlap: body.chunk_overlap,
    credentialId: body.credential_id,
  };
  return presentFields(changes);
}

function answer(repository: Repository, response: Response): RepositoryDto {
  tagRevision(response, repository);
  return RepositoryDto.of(repository);
}
