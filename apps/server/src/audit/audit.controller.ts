import { Get, Query, Res } from '@nestjs/common';
import { type Response } from 'express';
import { AuditLog } from '@adapters/postgres';
import { Logger } from '@core/domain';
import { ApiRoute, Resource } from '../http/api-route.js';
import { RequestSignal } from '../http/parameters.js';
import { refusedValue } from '../http/problem.js';
import { type Given } from '../http/model.js';
import { sendDocument } from '../http/send-document.js';
import { RequireRole } from '../access/role.js';
import { AuditTrail } from './audit-trail.js';
import {
  AuditCheckDto,
  AuditCheckQueryDto,
  AuditEntryListDto,
  AuditExportDto,
  AuditQueryDto,
} from './audit.schema.js';
import { Exports } from '../http/audited.js';

@Resource('audit')
@RequireRole('admin')
export class AuditController {
  constructor(
    private readonly audit: AuditLog,
    private readonly trail: AuditTrail,
    private readonly logger: Logger,
  ) {}

  @Get()
  @ApiRoute({
    summary: 'List who changed, read and exported what, and who was refused',
    description:
      'Newest first. Changes are recorded before they are made, all else within some seconds. Several refusals of one ' +
      'client within a minute are one record.',
    answers: AuditEntryListDto,
  })
  async listAuditEntries(@Query({ schema: AuditQueryDto }) query: Given<typeof AuditQueryDto>) {
    await this.trail.flush();
    return this.audit.list(query, query);
  }

  @Get('check')
  @ApiRoute({
    summary: 'Check the chain of the audit log',
    description:
      'Compares each record with its hash and with the record before it. It finds changed and missing records; that the ' +
      'newest were cut off, or all rewritten, only with a record that you kept.',
    answers: AuditCheckDto,
    problems: { 422: '`value_refused`: only one of `known_id` and `known_hash` is given.' },
  })
  async checkAudit(
    @Query({ schema: AuditCheckQueryDto })
    { knownId: id, knownHash: hash }: Given<typeof AuditCheckQueryDto>,
    @RequestSignal() signal: AbortSignal,
  ) {
    await this.trail.flush();
    if ((id === undefined) !== (hash === undefined)) {
      const field = id === undefined ? 'known_id' : 'known_hash';
      throw refusedValue(field, `${field} must be given with the other.`);
    }
    return this.audit.check(signal, id === undefined || hash === undefined ? undefined : { id, hash });
  }

  @Get('export')
  @Exports('audit.export')
  @ApiRoute({
    summary: 'Export the audit log',
    description: 'All records that match, oldest first, streamed as JSON lines: one record per line.',
    answerDescription: 'The records. When the connection breaks before the end, they are not complete.',
    content: { 'application/x-ndjson': { schema: { type: 'string' } } },
  })
  async exportAudit(
    @Query({ schema: AuditExportDto }) query: Given<typeof AuditExportDto>,
    @Res() response: Response,
  ): Promise<void> {
    await this.trail.flush();
    const document = { type: 'application/x-ndjson; charset=utf-8', name: 'audit.jsonl' };
    await sendDocument(response, this.audit.lines(query), document, this.logger);
  }
}
