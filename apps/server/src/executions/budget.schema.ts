import { wholeNumber } from '../http/fields.js';

/** Larger than any useful budget, and far below the largest safe integer. */
export const MAX_TOKENS = 1_000_000_000_000;
/** One week, as for MAX_RUN_SECONDS. */
const MAX_SECONDS = 604_800;

const TOKENS = { default: null, example: 2_000_000 };

/** Limits for the runs of a schedule. Null removes a limit. */
export const BUDGET_SETTINGS = {
  max_embedding_tokens_per_run: wholeNumber(
    1,
    MAX_TOKENS,
    'Estimated tokens that one run may embed: it stops before it exceeds them, as partial with `budget_reached`, and the ' +
      'next tick continues. Reused vectors cost nothing. Null: no limit.',
    TOKENS,
  ).nullish(),
  max_embedding_tokens_per_day: wholeNumber(
    1,
    MAX_TOKENS,
    'Estimated tokens that all runs of the repository may embed in 24 hours before a run of this schedule stops. Null: ' +
      'no limit.',
    TOKENS,
  ).nullish(),
  time_budget_seconds: wholeNumber(
    0,
    MAX_SECONDS,
    'A run stops cleanly after this time, as partial with `time_budget_reached`, and the next tick continues. 0 or ' +
      'null: no limit.',
    { default: null, example: 900 },
  ).nullish(),
};
