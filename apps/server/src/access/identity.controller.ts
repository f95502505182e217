import { Controller, Get, Req } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { ApiRoute } from '../http/api-route.js';
import { contextOf } from '../http/request-context.js';
import { RequireRole } from './role.js';
import { IdentityDto } from './token.schema.js';

/** Shows the role of a token, so that a user interface can offer only the permitted actions. */
@ApiTags('tokens')
@Controller('api/v1/identity')
export class IdentityController {
  @Get()
  @RequireRole('viewer')
  @ApiRoute({ summary: 'Show whom the token stands for', answers: IdentityDto })
  getIdentity(@Req() request: Request): IdentityDto {
    const { caller } = contextOf(request);
    if (!caller) throw new Error('The guard let a request pass without a caller.');
    return { name: caller.name, role: caller.role };
  }
}
