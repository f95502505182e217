import { Body, Delete, Get, Inject, Post, Query, Req } from '@nestjs/common';
import { type Request } from 'express';
import { ApiTokens } from '@adapters/postgres';
import { type ApiToken, Clock, scopeOf } from '@core/domain';
import { type Config } from '@platform/config';
import { ApiRoute, Resource } from '../http/api-route.js';
import { type Given } from '../http/model.js';
import { IdParam, OptionalBody, Scoped } from '../http/parameters.js';
import { PageQueryDto } from '../http/queries.js';
import { refusedValue } from '../http/problem.js';
import { contextOf } from '../http/request-context.js';
import { Audited } from '../http/audited.js';
import { CONFIG } from '../injection-tokens.js';
import { hashToken, makeToken } from './api-token.js';
import { CallerName, RequireRole } from './role.js';
import { CreateTokenDto, IdentityDto, NewTokenDto, RotateTokenDto, TokenListDto } from './token.schema.js';

const EXPIRY_REFUSED = '`value_refused`: `expires_at` is past, or later than API_TOKEN_MAX_DAYS allow.';
const DAY_MS = 86_400_000;

@Resource('tokens')
@RequireRole('admin')
export class TokensController {
  constructor(
    private readonly tokens: ApiTokens,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<Config, 'auth'>,
  ) {}

  @Post()
  @Audited('token.create')
  @ApiRoute({
    summary: 'Create an API token',
    description: 'Its clear text is in this answer and nowhere else.',
    status: 201,
    answers: NewTokenDto,
    problems: { 422: EXPIRY_REFUSED },
  })
  async createToken(
    @Body({ schema: CreateTokenDto }) body: Given<typeof CreateTokenDto>,
    @CallerName() caller: string | null,
  ) {
    const { name, role, scope = null, expiresAt = null } = body;
    this.assertLife(expiresAt);
    const token = makeToken();
    const record = await this.tokens.create({
      ...{ name, role, scope: scopeOf(scope), expiresAt: expiresAt ?? this.latestEnd() },
      ...{ tokenHash: hashToken(token), createdBy: caller ?? '' },
    });
    return { ...shown(record), token };
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
  async rotateToken(
    @IdParam('token') tokenId: string,
    @OptionalBody(RotateTokenDto) body: Given<typeof RotateTokenDto>,
    @CallerName() caller: string | null,
  ) {
    const { overlapSeconds, expiresAt = null } = body;
    this.assertLife(expiresAt);
    const token = makeToken();
    const record = await this.tokens.rotate(tokenId, {
      ...{ tokenHash: hashToken(token), createdBy: caller ?? '' },
      ...{ overlapSeconds, expiresAt, latest: this.latestEnd() },
    });
    return { ...shown(record), token };
  }

  @Get()
  @ApiRoute({
    summary: 'List API tokens',
    description: 'Newest first, expired and revoked ones included.',
    answers: TokenListDto,
  })
  async listTokens(@Query({ schema: PageQueryDto }) query: Given<typeof PageQueryDto>) {
    const { items, total } = await this.tokens.list(query);
    return { items: items.map(shown), total };
  }

  @Delete(':id')
  @Audited('token.revoke')
  @ApiRoute({
    summary: 'Revoke an API token',
    description: 'No pod accepts it any more; revoking it again changes nothing.',
    status: 204,
    problems: { 409: '`last_admin_token`: no other valid token could create another.' },
  })
  async revokeToken(@IdParam('token') tokenId: string): Promise<void> {
    await this.tokens.revoke(tokenId);
  }

  /** The end of the longest life of a token that begins now; null: there is no limit. */
  private latestEnd(): Date | null {
    const { tokenMaxDays: days } = this.config.auth;
    return days === 0 ? null : new Date(this.clock.now().getTime() + days * DAY_MS);
  }

  private assertLife(expiresAt: Date | null): void {
    if (expiresAt === null) return;
    const latest = this.latestEnd();
    const refuse = (message: string): never => {
      throw refusedValue('expires_at', message, expiresAt.toISOString());
    };
    if (expiresAt <= this.clock.now()) refuse('expires_at must be in the future.');
    if (latest !== null && expiresAt > latest)
      refuse(
        `expires_at must be at most ${this.config.auth.tokenMaxDays} days from now (API_TOKEN_MAX_DAYS), ` +
          `which is ${latest.toISOString()}.`,
      );
  }
}

function shown(token: ApiToken) {
  const isExpired = token.expiresAt !== null && token.expiresAt.getTime() <= Date.now();
  return { ...token, isValid: token.revokedAt === null && !isExpired };
}

/** Shows the role of a token, so that a user interface can offer only the permitted actions. */
@Resource('identity', 'tokens')
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
