import { Body, Delete, Get, Post, Put } from '@nestjs/common';
import { type SearchGate, type VisibleRepositories } from '@core/domain';
import { ApiRoute, Resource } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import { NameParam, OptionalBody, RequestSignal, Visible } from '../http/parameters.js';
import { COLLECTION_NAME } from '../repositories/collection-name.js';
import { CallerName, RequireRole } from '../access/role.js';
import {
  ActivateDto,
  CollectionDto,
  CollectionListDto,
  PutSearchGateDto,
  ReindexStartedDto,
  RolledBackDto,
  SearchGateDto,
} from './collection.schema.js';
import { CollectionsService } from './collections.service.js';

const UNKNOWN = '`collection_not_found`: no such collection, or nothing of it was synced yet.';
const CollectionName = () => NameParam('Name of the collection.', COLLECTION_NAME, UNKNOWN);

@Resource('collections')
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
  @ApiRoute({ summary: 'Read a collection', answers: CollectionDto })
  getCollection(@CollectionName() name: string, @Visible() visible: VisibleRepositories) {
    return this.collections.get(name, visible);
  }

  @Post(':name/reindex')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Rebuild a collection for the configured embedding model now',
    description:
      'Queues a sync of each repository. Searches use the former index until the new one is complete. ' +
      'A running rebuild for another model is abandoned.',
    status: 202,
    answers: ReindexStartedDto,
  })
  reindexCollection(@CollectionName() name: string, @CallerName() requestedBy: string | null) {
    return this.collections.reindex(name, requestedBy);
  }

  @Post(':name/rollback')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Let searches use the index that was active before',
    description: 'At once and for all pods. The replaced index is kept as long as any former one.',
    answers: RolledBackDto,
    problems: { 409: '`nothing_to_roll_back_to`: no former index is kept.' },
  })
  rollbackCollection(@CollectionName() name: string) {
    return this.collections.rollBack(name);
  }

  @Post(':name/activate')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Let searches use the index that is being built',
    description:
      'Happens automatically once it is complete and passes the gate of the collection; with `force` also without.',
    answers: CollectionDto,
    problems: {
      409:
        '`nothing_to_activate`; not without `force`: `rebuild_incomplete`, `search_quality_lower` (the questions of the gate are ' +
        'answered worse).',
      503: '`embedding_model_unavailable`: this pod cannot reach the model of an index, so that the gate cannot compare them.',
    },
  })
  activateCollection(
    @CollectionName() name: string,
    @OptionalBody(ActivateDto) { force }: Given<typeof ActivateDto>,
    @RequestSignal() signal: AbortSignal,
  ) {
    return this.collections.activate(name, force, signal);
  }

  @Get(':name/gate')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Read the gate of a collection',
    description: 'Questions that a rebuilt index must answer about as well as the one in use.',
    answers: SearchGateDto,
    problems: { 404: '`gate_not_found`: it has no gate.' },
  })
  async getGate(@CollectionName() name: string) {
    return shown(await this.collections.gateOf(name));
  }

  @Put(':name/gate')
  @RequireRole('admin')
  @ApiRoute({
    summary: 'Keep back a rebuilt index that answers questions worse',
    description:
      'Before searches use a rebuilt index, both indexes answer the questions, in mode `hybrid` without a reranker. The switch ' +
      'waits while nDCG@10 is lower by more than `max_loss`.',
    answers: SearchGateDto,
  })
  async putGate(
    @CollectionName() name: string,
    @Body({ schema: PutSearchGateDto }) body: Given<typeof PutSearchGateDto>,
    @CallerName() updatedBy: string | null,
  ) {
    return shown(await this.collections.putGate(name, { ...body, updatedBy }));
  }

  @Delete(':name/gate')
  @RequireRole('admin')
  @ApiRoute({ summary: 'Remove the gate of a collection', status: 204 })
  removeGate(@CollectionName() name: string) {
    return this.collections.removeGate(name);
  }
}

/** A question without a repository has the field with no value. */
function shown({ questions, ...gate }: SearchGate) {
  return {
    ...gate,
    questions: questions.map(({ question, expected, repository }) => ({ question, expected, repository })),
  };
}
