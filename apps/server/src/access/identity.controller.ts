import { Controller, Get, Req } from '@nestjs/common';
import { ApiProperty, ApiTags } from '@nestjs/swagger';
import { type Request } from 'express';
import { type Role } from '@core/domain';
import { ApiText } from '../http/api-fields.js';
import { ApiRoute } from '../http/api-route.js';
import { contextOf } from '../http/request-context.js';
import { RequireRole } from './role.js';
import { ROLES } from './token.dto.js';

class IdentityDto {
  @ApiText('The name of the token, or who single sign-on says it is.', 'ci')
  name!: string;

  @ApiProperty({ description: 'What it may do.', enum: ROLES, enumName: 'Role' })
  role!: Role;
}

/** Lets a page offer only what its token may do. */
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
