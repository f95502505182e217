import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean } from 'class-validator';
import { ApiUuid } from '../http/api-fields.js';
import { IsWholeNumber, MayBeAbsent } from '../http/field-rules.js';
import { MAX_TOKENS } from './budget.schema.js';

export class SyncRequestDto {
  @ApiPropertyOptional({
    description: 'Forget what is known and fetch, chunk and store everything again.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  full?: boolean;

  @ApiPropertyOptional({
    description:
      'Only say what a sync would do: the execution ends with the plan in its `report`, and nothing is changed.',
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  dry_run?: boolean;

  @ApiPropertyOptional({
    description:
      'Estimated tokens that this run may embed; it stops before it passes them, as partial with `budget_reached`. Absent: no limit.',
    type: 'integer',
    minimum: 1,
    maximum: MAX_TOKENS,
    example: 2_000_000,
  })
  @MayBeAbsent()
  @IsWholeNumber(1, MAX_TOKENS)
  max_embedding_tokens?: number;
}

export class VerifyRequestDto {
  @ApiPropertyOptional({
    description: "Make the index equal the branch's head where it differs.",
    type: Boolean,
    default: false,
  })
  @MayBeAbsent()
  @IsBoolean()
  repair?: boolean;
}

export class SyncStartedDto {
  @ApiUuid('Names the run in the progress endpoints; the same as `execution_id`.')
  task_id!: string;

  @ApiUuid('Names the run in the execution endpoints.')
  execution_id!: string;
}
