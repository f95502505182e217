import { Body, Controller, Delete, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { Audited } from './audit/audited.js';
import { INVALID_FORM } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from './caller.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { fieldsOf, present, presentPage, type ListDto } from '../http/model.js';
import { PageQueryDto } from '../http/queries.js';
import { RequireRole } from './role.js';
import { CreateTokenDto, NewTokenDto, TokenDto, TokenListDto } from './token.schema.js';
import { TokensService } from './tokens.service.js';

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
    problems: { 400: INVALID_FORM },
  })
  async createToken(
    @Body({ schema: CreateTokenDto }) body: CreateTokenDto,
    @CallerName() caller: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewTokenDto> {
    const request = { expiresAt: null, ...fieldsOf(body) };
    const { record, clearText } = await this.tokens.create(request, caller ?? '');
    response.setHeader('Cache-Control', 'no-store');
    return present(NewTokenDto, record, { token: clearText });
  }

  @Get()
  @ApiRoute({
    summary: 'List API tokens',
    description: 'Newest first, expired and revoked ones included.',
    answers: TokenListDto,
    problems: { 400: 'A parameter is wrong; `errors` names each.' },
  })
  async listTokens(@Query({ schema: PageQueryDto }) query: PageQueryDto): Promise<ListDto<TokenDto>> {
    return presentPage(TokenDto, await this.tokens.list(query));
  }

  @Delete(':id')
  @Audited('token.revoke')
  @ApiId('token')
  @ApiRoute({
    summary: 'Revoke an API token',
    description: 'No pod accepts it any more; revoking it again changes nothing.',
    status: 204,
    problems: { 409: '`last_admin_token`: no other valid token could make another.' },
  })
  async revokeToken(@IdParam() tokenId: string): Promise<void> {
    await this.tokens.revoke(tokenId);
  }
}
