import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { ApiUuid } from '../http/api-fields.js';
import { MayBeAbsent } from '../http/field-rules.js';

export class SyncRequestDto {
  @ApiPropertyOptional({
    description: 'Forget what is known and fetch, chunk and store everything again.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  full?: boolean;
}

export class SyncStartedDto {
  @ApiUuid('Names the run in the progress endpoints; the same as `execution_id`.')
  task_id!: string;

  @ApiUuid('Names the run in the execution endpoints.')
  execution_id!: string;
}
