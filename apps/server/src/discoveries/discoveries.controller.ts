import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Discovery } from '@core/domain';
import { INVALID_FORM, SOURCE_PROBLEMS } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { fieldsOf, present, type ListDto } from '../http/model.js';
import { someChange } from '../http/some-change.js';
import { PageQueryDto } from '../http/queries.js';
import { RequestSignal } from '../http/request-signal.js';
import { ApiIfMatch, ExpectedRevision } from '../http/revision.js';
import { RequireRole } from '../access/role.js';
import { type DiscoveryRequest, DiscoveriesService } from './discoveries.service.js';
import {
  CreateDiscoveryDto,
  DiscoveryDto,
  DiscoveryListDto,
  UpdateDiscoveryDto,
} from './discovery.schema.js';

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
      'Its first run follows at once. Later runs register new projects, and retire removed ones after a grace.',
    answers: DiscoveryDto,
    isTagged: true,
    createsUnder: '/api/v1/discoveries',
    problems: {
      400: INVALID_FORM,
      409: '`discovery_exists`: the name is taken.',
      422: WRONG_VALUES,
      ...SOURCE_PROBLEMS,
    },
  })
  async createDiscovery(
    @Body({ schema: CreateDiscoveryDto }) body: CreateDiscoveryDto,
    @RequestSignal() signal: AbortSignal,
  ): Promise<DiscoveryDto> {
    return show(await this.discoveries.create(requestOf(body), signal));
  }

  @Get()
  @RequireRole('viewer')
  @ApiRoute({ summary: 'List discoveries', answers: DiscoveryListDto, problems: { 400: INVALID_FORM } })
  async listDiscoveries(
    @Query({ schema: PageQueryDto }) query: PageQueryDto,
  ): Promise<ListDto<DiscoveryDto>> {
    const { items, total } = await this.discoveries.list(query);
    return { items: items.map(show), total };
  }

  @Get(':id')
  @RequireRole('viewer')
  @ApiId('discovery')
  @ApiRoute({ summary: 'Show a discovery', answers: DiscoveryDto, isTagged: true })
  async getDiscovery(@IdParam() discoveryId: string): Promise<DiscoveryDto> {
    return show(await this.discoveries.get(discoveryId));
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
    isTagged: true,
    problems: {
      409: '`discovery_exists`: the name is taken.',
      422: WRONG_VALUES,
      ...SOURCE_PROBLEMS,
    },
  })
  async updateDiscovery(
    @IdParam() discoveryId: string,
    @Body({ schema: UpdateDiscoveryDto }) body: UpdateDiscoveryDto,
    @ExpectedRevision() revision: number | undefined,
    @RequestSignal() signal: AbortSignal,
  ): Promise<DiscoveryDto> {
    const changes = someChange(requestOf(body));
    return show(await this.discoveries.update(discoveryId, changes, revision, signal));
  }

  @Delete(':id')
  @RequireRole('admin')
  @ApiId('discovery')
  @ApiRoute({
    summary: 'Delete a discovery',
    description: 'Its repositories are kept, like repositories registered by hand.',
    status: 204,
  })
  async deleteDiscovery(@IdParam() discoveryId: string): Promise<void> {
    await this.discoveries.remove(discoveryId);
  }
}

function requestOf({ schedule, ...body }: CreateDiscoveryDto | UpdateDiscoveryDto): DiscoveryRequest {
  const request: DiscoveryRequest = fieldsOf(body);
  if (schedule === undefined) return request;
  if (schedule === null) return { ...request, scheduleCronExpression: null };
  const { cron_expression: scheduleCronExpression, timezone: scheduleTimezone } = schedule;
  return { ...request, scheduleCronExpression, scheduleTimezone };
}

function show(discovery: Discovery): DiscoveryDto {
  const { scheduleCronExpression: cron_expression, scheduleTimezone: timezone } = discovery;
  const schedule = cron_expression === null ? null : { cron_expression, timezone };
  return present(DiscoveryDto, discovery, { schedule });
}
