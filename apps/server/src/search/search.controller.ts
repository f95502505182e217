import { Body, Controller, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { NotAudited } from '../access/audit/audit.interceptor.js';
import { ApiRoute } from '../http/api-route.js';
import { fieldsOf } from '../http/model.js';
import { RequestSignal } from '../http/parameters.js';
import { RequireRole } from '../access/role.js';
import { SearchHitListDto, SearchRequestDto } from './search.schema.js';
import { SearchService, rowOfHit } from './search.service.js';

@ApiTags('search')
@Controller('api/v1/search')
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  @Post()
  @RequireRole('viewer')
  @NotAudited()
  @ApiRoute({
    summary: 'Search the index',
    description: 'Best hits first, over all collections; `total` is the number of hits answered.',
    answers: SearchHitListDto,
    problems: {
      429: 'The embedding server limits the rate; `Retry-After` says when to try again.',
      502: 'The embedding server refused the key: `embedding_key_rejected`.',
      503:
        'The embedding server, the vector store or the database does not answer now; ' +
        '`embedding_model_unavailable`: the index was made with a model that this pod cannot reach.',
    },
  })
  async searchIndex(
    @Body({ schema: SearchRequestDto }) body: SearchRequestDto,
    @RequestSignal() signal: AbortSignal,
  ) {
    const hits = await this.searches.search(fieldsOf(body), signal);
    return { items: hits.map(rowOfHit), total: hits.length };
  }
}
