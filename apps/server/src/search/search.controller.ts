import { Body, Post } from '@nestjs/common';
import { type VisibleRepositories } from '@core/domain';
import { ReadsCode } from '../http/audited.js';
import { ApiRoute, Resource } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import { RequestSignal, Visible } from '../http/parameters.js';
import { RequireRole } from '../access/role.js';
import { SearchHitListDto, SearchRequestDto } from './search.schema.js';
import { AnswersService } from './answers/answers.service.js';

@Resource('search')
export class SearchController {
  constructor(private readonly answers: AnswersService) {}

  @Post()
  @RequireRole('viewer')
  @ReadsCode('search.query')
  @ApiRoute({
    summary: 'Search the index',
    description:
      'Best hits first, over all collections; `total` is the number of hits answered. Neighbouring chunks of a file are ' +
      'one hit. All pages together have the best hundred chunks (the candidates), of `exact` a thousand; use filters to ' +
      'see others.',
    answers: SearchHitListDto,
    problems: {
      422:
        '`repository_not_found`, `glob_invalid`, `cursor_invalid`, `pattern_invalid`, `mode_mismatch`: `errors` names ' +
        'the field.',
      429: 'The embedding server limits the rate; `Retry-After` says when to try again.',
      502: 'The embedding server refused the key: `embedding_key_rejected`.',
      503:
        'The embedding server, the vector store or the database does not answer now; ' +
        '`embedding_model_unavailable`: the index was made with a model that this pod cannot reach.',
    },
  })
  searchIndex(
    @Body({ schema: SearchRequestDto }) body: Given<typeof SearchRequestDto>,
    @Visible() visible: VisibleRepositories,
    @RequestSignal() signal: AbortSignal,
  ) {
    return this.answers.search({ ...body, visible }, signal);
  }
}
