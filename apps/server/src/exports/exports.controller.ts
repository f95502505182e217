import { Get, Query, Res } from '@nestjs/common';
import { type Response } from 'express';
import { ExecutionArchive, RepositoryNames } from '@adapters/postgres';
import { type ExecutionFilter, Logger, type VisibleRepositories } from '@core/domain';
import { ExecutionDto } from '../executions/execution.schema.js';
import { ExecutionsService } from '../executions/executions.service.js';
import { ApiRoute, Resource } from '../http/api-route.js';
import { IdParam, Visible } from '../http/parameters.js';
import { referTo } from '../http/openapi.js';
import { type Given } from '../http/model.js';
import { Exports } from '../http/audited.js';
import { sendDocument } from '../http/send-document.js';
import { RequireRole } from '../access/role.js';
import { ExecutionFileListDto, ExecutionFileQueryDto, ExportQueryDto } from './export.schema.js';
import { MEDIA_TYPES, renderExport } from './execution-export.js';

/** Exports executions, and the files that one of them failed on or skipped. */
@Resource('executions')
@RequireRole('viewer')
export class ExportsController {
  constructor(
    private readonly executions: ExecutionsService,
    private readonly archive: ExecutionArchive,
    private readonly names: RepositoryNames,
    private readonly logger: Logger,
  ) {}

  @Get('export')
  @Exports('execution.export')
  @ApiRoute({
    summary: 'Export executions',
    description:
      'All that match, newest first, streamed: CSV (text that a spreadsheet would run as a formula begins with an ' +
      'apostrophe) or a JSON array.',
    answerDescription: 'The document. When the connection breaks before its end, it is not complete.',
    content: {
      'text/csv': { schema: { type: 'string' } },
      'application/json': { schema: { type: 'array', items: referTo(ExecutionDto) } },
    },
  })
  async exportExecutions(
    @Query({ schema: ExportQueryDto }) query: Given<typeof ExportQueryDto>,
    @Visible() visible: VisibleRepositories,
    @Res() response: Response,
  ): Promise<void> {
    const pieces = renderExport(this.pages({ ...query, visible }), query.format);
    const document = { type: MEDIA_TYPES[query.format], name: `executions.${query.format}` };
    await sendDocument(response, pieces, document, this.logger);
  }

  private async *pages(filter: ExecutionFilter) {
    for await (const page of this.archive.stream(filter)) yield await this.names.addTo(page);
  }

  @Get(':id/files')
  @ApiRoute({
    summary: 'List the files that an execution could not index or left out',
    description: 'Ordered by path; the first thousand failed and the first thousand skipped ones are kept.',
    answers: ExecutionFileListDto,
  })
  async listExecutionFiles(
    @IdParam('execution') executionId: string,
    @Query({ schema: ExecutionFileQueryDto }) query: Given<typeof ExecutionFileQueryDto>,
  ) {
    await this.executions.get(executionId);
    return this.archive.listFiles(executionId, { status: query.status }, query);
  }
}
