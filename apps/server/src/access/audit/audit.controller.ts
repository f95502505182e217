import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AuditLog } from '@core/domain';
import { ApiRoute } from '../../http/api-route.js';
import { type ListDto, toList } from '../../http/page.dto.js';
import { RequireRole } from '../role.js';
import { AuditEntryDto, AuditEntryListDto, auditFilterOf, AuditQueryDto } from './audit.dto.js';

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
    problems: { 400: 'A filter is wrong; `errors` names each.' },
  })
  async listAuditEntries(@Query() query: AuditQueryDto): Promise<ListDto<AuditEntryDto>> {
    return toList(await this.audit.list(auditFilterOf(query), query), AuditEntryDto.of);
  }
}
