import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsWholeNumber, MayBeNull } from '../http/field-rules.js';

/** More than any budget, and far below what a number holds exactly. */
export const MAX_TOKENS = 1_000_000_000_000;
/** A week, as MAX_RUN_SECONDS. */
const MAX_SECONDS = 604_800;

const TOKENS = {
  type: 'integer',
  nullable: true,
  minimum: 1,
  maximum: MAX_TOKENS,
  default: null,
  example: 2_000_000,
} as const;

/** What the runs of a schedule may spend. Null takes a limit away. */
export class BudgetSettingsDto {
  @ApiPropertyOptional({
    ...TOKENS,
    description:
      'Estimated tokens that one run may embed: it stops before it passes them, as partial with `budget_reached`, and the next tick goes on. What is reused costs nothing. Null: no limit.',
  })
  @MayBeNull()
  @IsWholeNumber(1, MAX_TOKENS)
  max_embedding_tokens_per_run?: number | null;

  @ApiPropertyOptional({
    ...TOKENS,
    description:
      'Estimated tokens that all runs of the repository may have embedded in 24 hours before a run of this schedule stops. Null: no limit.',
  })
  @MayBeNull()
  @IsWholeNumber(1, MAX_TOKENS)
  max_embedding_tokens_per_day?: number | null;

  @ApiPropertyOptional({
    description:
      'A run stops cleanly after this time, as partial with `time_budget_reached`, and the next tick goes on. 0: none. Null: `RUN_TIME_BUDGET_SECONDS`.',
    type: 'integer',
    nullable: true,
    minimum: 0,
    maximum: MAX_SECONDS,
    default: null,
    example: 900,
  })
  @MayBeNull()
  @IsWholeNumber(0, MAX_SECONDS)
  time_budget_seconds?: number | null;
}
