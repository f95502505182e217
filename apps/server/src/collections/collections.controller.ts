import { KEEP_RETIRED_HOURS } from '@core/domain';
import { Body, Controller, Get, Param, Post } from '@nestjs/common';
import { ApiBody, ApiParam, ApiTags } from '@nestjs/swagger';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from '../access/caller.js';
import { present, type ListDto } from '../http/model.js';
import { RequireRole } from '../access/role.js';
import {
  ActivateDto,
  BuildingDto,
  CollectionDto,
  CollectionListDto,
  GenerationDto,
  ReindexStartedDto,
  RetiredDto,
  RolledBackDto,
} from './collection.schema.js';
import { CollectionsService, type Collection } from './collections.service.js';

const HOUR_MS = 3_600_000;
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
    const items = (await this.collections.list()).map((each) => this.show(each));
    return { items, total: items.length };
  }

  @Get(':name')
  @RequireRole('viewer')
  @ApiParam(NAME)
  @ApiRoute({ summary: 'Read a collection', answers: CollectionDto, problems: { 404: UNKNOWN } })
  async getCollection(@Param('name') name: string): Promise<CollectionDto> {
    return this.show(await this.collections.get(name));
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
  async reindexCollection(
    @Param('name') name: string,
    @CallerName() requestedBy: string | null,
  ): Promise<ReindexStartedDto> {
    const { collection, queued, busy } = await this.collections.reindex(name, requestedBy);
    return { collection: this.show(collection), queued, busy };
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
  async rollbackCollection(@Param('name') name: string): Promise<RolledBackDto> {
    const { collection, repositoriesBehind } = await this.collections.rollBack(name);
    return {
      collection: this.show(collection),
      repositories_behind: repositoriesBehind,
    };
  }

  @Post(':name/activate')
  @RequireRole('admin')
  @ApiParam(NAME)
  @ApiBody({ required: false })
  @ApiRoute({
    summary: 'Let searches use the index that is being built',
    description: 'Happens automatically once it is complete; with `force` also earlier.',
    answers: CollectionDto,
    problems: {
      404: UNKNOWN,
      409: '`nothing_to_activate`, `rebuild_incomplete`: not without `force`.',
    },
  })
  async activateCollection(
    @Param('name') name: string,
    @Body({ schema: ActivateDto }) body: ActivateDto,
  ): Promise<CollectionDto> {
    const collection = await this.collections.activate(name, body.force);
    return this.show(collection);
  }

  private show({ name, active, building, retired }: Collection): CollectionDto {
    return {
      name,
      active: active && present(GenerationDto, active),
      building: building && present(BuildingDto, building),
      retired: retired.flatMap((generation) => {
        const { retiredAt } = generation;
        if (retiredAt === null) return [];
        const drop_at = new Date(retiredAt.getTime() + KEEP_RETIRED_HOURS * HOUR_MS);
        return [present(RetiredDto, generation, { retired_at: retiredAt, drop_at })];
      }),
    };
  }
}
