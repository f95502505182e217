import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type ExecutionFile } from '@core/domain';
import { ApiText, NULLABLE } from '../http/api-fields.js';
import { IsOneOf, MayBeAbsent } from '../http/field-rules.js';
import { listOf, PageQueryDto } from '../http/page.dto.js';

const STATUSES = ['failed', 'skipped'] as const;

export class ExecutionFileQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    description: 'Only files that failed, or only those that a rule left out.',
    enum: STATUSES,
    enumName: 'ExecutionFileStatus',
  })
  @MayBeAbsent()
  @IsOneOf(STATUSES)
  status?: ExecutionFile['status'];
}

/** An `execution_file_errors` row. */
export class ExecutionFileDto {
  @ApiText('Path from the root of the repository.', 'src/main.ts')
  path!: string;

  @ApiProperty({ description: 'What became of it.', enum: STATUSES, enumName: 'ExecutionFileStatus' })
  status!: ExecutionFile['status'];

  @ApiText('Stable name of the error, or of the rule that left it out.', 'embedding_request_refused')
  error_code!: string;

  @ApiText('What was found, what was expected.', 'The embedding server answered 400.', NULLABLE)
  message!: string | null;

  static of(this: void, { path, status, errorCode, message }: ExecutionFile): ExecutionFileDto {
    return { path, status, error_code: errorCode, message };
  }
}

export const ExecutionFileListDto = listOf(ExecutionFileDto);
