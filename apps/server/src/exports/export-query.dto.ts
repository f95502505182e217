import { ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { ExecutionQueryDto } from '../executions/execution-queries.dto.js';
import { IsOneOf, MayBeAbsent } from '../http/field-rules.js';
import { EXPORT_FORMATS, type ExportFormat } from './execution-export.js';

/** The filters of the list of executions; all that match are exported. */
export class ExportQueryDto extends OmitType(ExecutionQueryDto, ['limit', 'offset', 'sort']) {
  @ApiPropertyOptional({
    description: 'Of the document.',
    enum: EXPORT_FORMATS,
    enumName: 'ExportFormat',
    default: 'csv',
  })
  @MayBeAbsent()
  @IsOneOf(EXPORT_FORMATS)
  format: ExportFormat = 'csv';
}
