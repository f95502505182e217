import { Body, Controller, Delete, Get, Post, Query, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { ApiRoute } from '../http/api-route.js';
import { fieldsOf } from '../http/model.js';
import { IdParam, OptionalBody, Scoped } from '../http/parameters.js';
import { PageQueryDto } from '../http/queries.js';
import { contextOf } from '../http/request-context.js';
import { Audited } from '../http/audited.js';
import { CallerName, RequireRole } from './role.js';
import { CreateTokenDto, IdentityDto, NewTokenDto, RotateTokenDto, TokenListDto } from './token.schema.js';
import { TokensService } from './tokens.service.js';

const EXPIRY_REFUSED = '`value_refused`: `expires_at` is past, or later than API_TOKEN_MAX_DAYS allow.';

@ApiTags('tokens')
@Controller('api/v1/tokens')
@RequireRole('admin')
export class TokensController {
  constructor(private readonly tokens: TokensService) {}

  @Post()
  @Audited('token.create')
  @ApiRoute({
    summary: 'Create an API token',
    description: 'Its clear text is in this answer and nowhere else.',
    status: 201,
    answers: NewTokenDto,
    problems: { 422: EXPIRY_REFUSED },
  })
  createToken(@Body({ schema: CreateTokenDto }) body: CreateTokenDto, @CallerName() caller: string | null) {
    return this.tokens.create({ expiresAt: null, scope: null, ...fieldsOf(body) }, caller ?? '');
  }

  @Post(':id/rotate')
  @Audited('token.rotate')
  @ApiRoute({
    summary: 'Replace an API token by another one',
    description:
      'The new one has the same name, role and scope. The former one is accepted until `overlap_seconds` have passed, so ' +
      'that its users can change without an interruption.',
    status: 201,
    answers: NewTokenDto,
    problems: {
      409: '`token_not_valid`: it is revoked or expired. `token_configured`: it comes from the configuration.',
      422: EXPIRY_REFUSED,
    },
  })
  rotateToken(
    @IdParam('token') tokenId: string,
    @OptionalBody(RotateTokenDto) body: RotateTokenDto,
    @CallerName() caller: string | null,
  ) {
    return this.tokens.rotate(tokenId, { expiresAt: null, ...fieldsOf(body) }, caller ?? '');
  }

  @Get()
  @ApiRoute({
    summary: 'List API tokens',
    description: 'Newest first, expired and revoked ones included.',
    answers: TokenListDto,
  })
  listTokens(@Query({ schema: PageQueryDto }) query: PageQueryDto) {
    return this.tokens.list(query);
  }

  @Delete(':id')
  @Audited('token.revoke')
  @ApiRoute({
    summary: 'Revoke an API token',
    description: 'No pod accepts it any more; revoking it again changes nothing.',
    status: 204,
    problems: { 409: '`last_admin_token`: no other valid token could create another.' },
  })
  revokeToken(@IdParam('token') tokenId: string) {
    return this.tokens.revoke(tokenId);
  }
}

/** Shows the role of a token, so that a user interface can offer only the permitted actions. */
@ApiTags('tokens')
@Controller('api/v1/identity')
export class IdentityController {
  @Get()
  @RequireRole('viewer')
  @Scoped()
  @ApiRoute({ summary: 'Show the name, role and scope of the calling token', answers: IdentityDto })
  async getIdentity(@Req() request: Request) {
    const { caller } = contextOf(request);
    if (!caller) throw new Error('The guard accepted a request without a caller.');
    return caller;
  }
}
