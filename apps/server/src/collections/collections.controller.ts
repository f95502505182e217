import { Controller, Get, Param, Post } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type VisibleRepositories } from '@core/domain';
import { ApiRoute } from '../http/api-route.js';
import { OptionalBody, Visible } from '../http/parameters.js';
import { CallerName, RequireRole } from '../access/role.js';
import {
  ActivateDto,
  CollectionDto,
  CollectionListDto,
  ReindexStartedDto,
  RolledBackDto,
} from './collection.schema.js';
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
  async listCollections(@Visible() visible: VisibleRepositories) {
    const items = await this.collections.list(visible);
    return { items, total: items.length };
  }

  @Get(':name')
  @RequireRole('viewer')
  @ApiParam(NAME)
  @ApiRoute({ summary: 'Read a collection', answers: CollectionDto, problems: { 404: UNKNOWN } })
  getCollection(@Param('name') name: string, @Visible() visible: VisibleRepositories) {
    return this.collections.get(name, visible);
  }

  @Post(':name/reindex')
  @RequireRole('admin')
  @ApiParam(NAME)
  @ApiRoute({
    summary: 'Rebuild a collection for the configured embedding model now',
    description:
      'Queues a sync of each repository. Searches use the former index until the new one is complete. ' +
      'A running rebuild for another model is abandoned.',
    status: 202,
    answers: ReindexStartedDto,
    problems: { 404: UNKNOWN },
  })
  reindexCollection(@Param('name') name: string, @CallerName() requestedBy: string | null) {
    return this.collections.reindex(name, requestedBy);
  }

  @Post(':name/rollback')
  @RequireRole('admin')
  @ApiParam(NAME)
  @ApiRoute({
    summary: 'Let searches use the index that was active before',
    description: 'At once and for all pods. The replaced index is kept as long as any former one.',
    answers: RolledBackDto,
    problems: { 404: UNKNOWN, 409: '`nothing_to_roll_back_to`: no former index is kept.' },
  })
  rollbackCollection(@Param('name') name: string) {
    return this.collections.rollBack(name);
  }

  @Post(':name/activate')
  @RequireRole('admin')
  @ApiParam(NAME)
  @ApiRoute({
    summary: 'Let searches use the index that is being built',
    description: 'Happens automatically once it is complete; with `force` also earlier.',
    answers: CollectionDto,
    problems: {
      404: UNKNOWN,
      409: '`nothing_to_activate`, `rebuild_incomplete`: not without `force`.',
    },
  })
  activateCollection(@Param('name') name: string, @OptionalBody(ActivateDto) { force }: ActivateDto) {
    return this.collections.activate(name, force);
  }
}
