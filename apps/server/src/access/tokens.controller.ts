import { Body, Controller, Delete, Get, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { Audited } from './audit/audited.js';
import { INVALID_FORM } from '../http/api-problem.js';
import { ApiRoute } from '../http/api-route.js';
import { CallerName } from './caller.js';
import { ApiId, IdParam } from '../http/id-param.js';
import { type ListDto, PageQueryDto, toList } from '../http/page.dto.js';
import { RequireRole } from './role.js';
import { CreateTokenDto, NewTokenDto, TokenDto, TokenListDto } from './token.dto.js';
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
    @Body() body: CreateTokenDto,
    @CallerName() caller: string | null,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NewTokenDto> {
    const { name, role, expires_at: expiresAt = null } = body;
    const { record, clearText } = await this.tokens.create({ name, role, expiresAt }, caller ?? '');
    response.setHeader('Cache-Control', 'no-store');
    return { ...TokenDto.of(record), token: clearText };
  }

  @Get()
  @ApiRoute({
    summary: 'List API tokens',
    description: 'Newest first, ended ones included.',
    answers: TokenListDto,
    problems: { 400: 'A parameter is wrong; `errors` names each.' },
  })
  async listTokens(@Query() query: PageQueryDto): Promise<ListDto<TokenDto>> {
    return toList(await this.tokens.list(query), TokenDto.of);
  }

  @Delete(':id')
  @Audited('token.revoke')
  @ApiId('token')
  @ApiRoute({
    summary: 'Revoke an API token',
    description: 'From here on it opens nothing, at any pod; one that is revoked stays so.',
    status: 204,
    problems: { 409: '`last_admin_token`: no other valid token could make another.' },
  })
  async revokeToken(@IdParam() tokenId: string): Promise<void> {
    await this.tokens.revoke(tokenId);
  }
}
