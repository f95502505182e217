import { Body, Controller, Delete, Get, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { type Discovery } from '@core/domain';
import { INVALID_FORM, SOURCE_PROBLEMS } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, PageQueryDto, toList } from '../http/page.dto.js';
import { presentFields, someChange } from '../http/present-fields.js';
import { RequestSignal } from '../http/request-signal.js';
import { ApiIfMatch, ExpectedRevision, REVISION_HEADER, tagRevision } from '../http/revision.js';
import { RequireRole } from '../access/role.js';
import { type DiscoveryRequest, DiscoveriesService } from './discoveries.service.js';
import {
  CreateDiscoveryDto,
  type DiscoverySettingsDto,
  UpdateDiscoveryDto,
} from './discovery-requests.dto.js';
import { DEFAULT_TEMPLATE } from './schedule-template.dto.js';
import { DiscoveryDto, DiscoveryListDto } from './discovery.dto.js';

const WRONG_VALUES =
  '`group_not_found`, `glob_invalid`, `cron_invalid`, `timezone_invalid`, `collection_name_invalid`, ' +
  '`chunk_size_exceeds_model`, `chunk_overlap_invalid`, `source_url_invalid`, `url_not_allowed`, `credential_unavailable`.';

@ApiTags('discoveries')
@Controller('api/v1/discoveries')
export class DiscoveriesController {
  constructor(private readonly discoveries: DiscoveriesService) {}

  @Post()
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Register a whole group, or a whole host',
    description:
      'Its first run follows at once. From then on new projects are registered, and vanished ones retired after a grace.',
    status: 201,
    answers: DiscoveryDto,
    headers: { ...REVISION_HEADER, Location: 'Address of the discovery.' },
    problems: {
      400: INVALID_FORM,
      409: '`discovery_exists`: the name is taken.',
      422: WRONG_VALUES,
      ...SOURCE_PROBLEMS,
    },
  })
  async createDiscovery(
    @Body() body: CreateDiscoveryDto,
    @RequestSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DiscoveryDto> {
    const { base_url: baseUrl, group_path: groupPath } = body;
    const request = { ...settingsOf(body), ...presentFields({ baseUrl, groupPath }) };
    const discovery = await this.discoveries.create(request, signal);
    response.location(`/api/v1/discoveries/${discovery.id}`);
    return answer(discovery, response);
  }

  @Get()
  @RequireRole('viewer')
  @ApiRoute({ summary: 'List discoveries', answers: DiscoveryListDto, problems: { 400: INVALID_FORM } })
  async listDiscoveries(@Query() query: PageQueryDto): Promise<ListDto<DiscoveryDto>> {
    return toList(await this.discoveries.list(query), DiscoveryDto.of);
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiId('discovery')
  @ApiRoute({ summary: 'Show a discovery', answers: DiscoveryDto, headers: REVISION_HEADER })
  async getDiscovery(
    @IdParam() discoveryId: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DiscoveryDto> {
    return answer(await this.discoveries.get(discoveryId), response);
  }

  @Patch(':id')
  @RequireRole('admin')
  @ApiId('discovery')
  @ApiIfMatch()
  @ApiRoute({
    summary: 'Change a discovery',
    description:
      'The next run obeys the change; repositories that are registered keep their settings. Host and group cannot change.',
    answers: DiscoveryDto,
    headers: REVISION_HEADER,
    problems: {
      409: '`discovery_exists`: the name is taken.',
      422: WRONG_VALUES,
      ...SOURCE_PROBLEMS,
    },
  })
  async updateDiscovery(
    @IdParam() discoveryId: string,
    @Body() body: UpdateDiscoveryDto,
    @ExpectedRevision() revision: number | undefined,
    @RequestSignal() signal: AbortSignal,
    @Res({ passthrough: true }) response: Response,
  ): Promise<DiscoveryDto> {
    const changes = someChange(settingsOf(body));
    return answer(await this.discoveries.update(discoveryId, changes, revision, signal), response);
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiId('discovery')
  @ApiRoute({
    summary: 'Delete a discovery',
    description: 'Its repositories stay, as if they had been registered by hand.',
    status: 204,
  })
  async deleteDiscovery(@IdParam() discoveryId: string): Promise<void> {
    await this.discoveries.remove(discoveryId);
  }
}

function settingsOf(body: DiscoverySettingsDto & { name?: string }): DiscoveryRequest {
  const { schedule } = body;
  return presentFields<DiscoveryRequest>({
    name: body.name,
    includeSubgroups: body.include_subgroups,
    membersOnly: body.members_only,
    includeProjects: body.include_projects,
    excludeProjects: body.exclude_projects,
    branches: body.branches,
    archivedProjects: body.archived_projects,
    credentialId: body.credential_id,
    collectionName: body.collection_name,
    includeGlobs: body.include_globs,
    excludeGlobs: body.exclude_globs,
    maxFileBytes: body.max_file_bytes,
    chunkSize: body.chunk_size,
    chunkOverlap: body.chunk_overlap,
    scheduleCronExpression:
      schedule === null ? null : schedule && (schedule.cron_expression ?? DEFAULT_TEMPLATE.cron_expression),
    scheduleTimezone: schedule ? (schedule.timezone ?? DEFAULT_TEMPLATE.timezone) : undefined,
    cronExpression: body.cron_expression,
    timezone: body.timezone,
    isActive: body.is_active,
    graceHours: body.grace_hours,
  });
}

function answer(discovery: Discovery, response: Response): DiscoveryDto {
  tagRevision(response, discovery);
  return DiscoveryDto.of(discovery);
}
