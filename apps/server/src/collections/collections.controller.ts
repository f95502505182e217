import { KEEP_RETIRED_HOURS } from '@core/domain';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { type ListDto } from '../http/page.dto.js';
import { RequireRole } from '../access/role.js';
import {
  ActivateDto,
  CollectionDto,
  CollectionListDto,
  ReindexStartedDto,
  RolledBackDto,
} from './collection.dto.js';
import { CollectionsService } from './collections.service.js';

const NAME = { name: 'name', description: 'Name of the collection.', schema: { type: 'string' as const } };
const UNKNOWN = '`collection_not_found`: no such collection, or nothing of it was synced yet.';

@ApiTags('collections')
@Controller('api/v1/collections')
export class CollectionsController {
  constructor(private readonly collections: CollectionsService) {}

  @Get()
  @RequireRole('viewer')
  @ApiRoute({
    summary: 'List the collections',
    description: 'Each with the model of the index that searches use, and how far a rebuild is.',
    answers: CollectionListDto,
  })
  async listCollections(): Promise<ListDto<CollectionDto>> {
    const items = (await this.collections.list()).map((each) => CollectionDto.of(each, KEEP_RETIRED_HOURS));
    return { items, total: items.length };
  }

  @Get(':name')
  @RequireRole('viewer')
  @ApiParam(NAME)
  @ApiRoute({ summary: 'Read a collection', answers: CollectionDto, problems: { 404: UNKNOWN } })
  async getCollection(@Param('name') name: string): Promise<CollectionDto> {
    return CollectionDto.of(await this.collections.get(name), KEEP_RETIRED_HOURS);
  }

  @Post(':name/reindex')
  @RequireRole('admin')
  @ApiParam(NAME)
  @ApiRoute({
    summary: 'Rebuild a collection for the configured embedding model now',
    description:
      'Queues a sync of each repository. Searches use the former index until the new one is complete. ' +
      'A rebuild for another model that goes on is given up.',
    status: 202,
    answers: ReindexStartedDto,
    problems: { 404: UNKNOWN },
  })
  async reindexCollection(
    @Param('name') name: string,
    @CallerName() requestedBy: string | null,
  ): Promise<ReindexStartedDto> {
    const { collection, queued, busy } = await this.collections.reindex(name, requestedBy);
    return { collection: CollectionDto.of(collection, KEEP_RETIRED_HOURS), queued, busy };
  }

  @Post(':name/rollback')
  @RequireRole('admin')
  @ApiParam(NAME)
  @ApiRoute({
    summary: 'Let searches use the index that was active before',
    description: 'At once and for all pods. The index that is left is kept as long as any former one.',
    answers: RolledBackDto,
    problems: { 404: UNKNOWN, 409: '`nothing_to_roll_back_to`: no former index is kept.' },
  })
  async rollbackCollection(@Param('name') name: string): Promise<RolledBackDto> {
    const { collection, repositoriesBehind } = await this.collections.rollBack(name);
    return {
      collection: CollectionDto.of(collection, KEEP_RETIRED_HOURS),
      repositories_behind: repositoriesBehind,
    };
  }

  @Post(':name/activate')
  @RequireRole('admin')
  @ApiParam(NAME)
  @ApiBody({ type: ActivateDto, required: false })
  @ApiRoute({
    summary: 'Let searches use the index that is being built',
    description: 'Happens by itself once it is complete; with `force` also before.',
    answers: CollectionDto,
    problems: {
      404: UNKNOWN,
      409: '`nothing_to_activate`, `rebuild_incomplete`: not without `force`.',
    },
  })
  async activateCollection(@Param('name') name: string, @Body() body: ActivateDto): Promise<CollectionDto> {
    const collection = await this.collections.activate(name, body.force ?? false);
    return CollectionDto.of(collection, KEEP_RETIRED_HOURS);
  }
}
