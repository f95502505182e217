import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AuditLog } from '@adapters/postgres';
import { ApiRoute } from '../../http/api-route.js';
import { filterOf } from '../../http/queries.js';
import { RequireRole } from '../role.js';
import { AuditEntryListDto, AuditQueryDto } from './audit.schema.js';

@ApiTags('audit')
@Controller('api/v1/audit')
@RequireRole('admin')
export class AuditController {
  constructor(private readonly audit: AuditLog) {}

  @Get()
  @ApiRoute({
    summary: 'List who changed what',
    description: 'Every call that may change something, refused ones included; newest first.',
    answers: AuditEntryListDto,
  })
  listAuditEntries(@Query({ schema: AuditQueryDto }) query: AuditQueryDto) {
    return this.audit.list(filterOf(query), query);
  }
}
