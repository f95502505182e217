import { type Execution, type StoredBudget } from '@core/domain';
import { type RunLimits } from '../run/run-budget.js';

type Asked = Pick<Execution, 'fullSync' | 'maxEmbeddingTokens'>;

/**
 * What an execution may spend. A full sync has no time budget: it trusts no manifest, so that stopped it would begin
 * again from its start for ever.
 */
export function limitsOf(stored: StoredBudget, execution: Asked): RunLimits {
  const seconds = execution.fullSync ? 0 : (stored.timeBudgetSeconds ?? 0);
  return { embedding: tokenLimitOf(stored, execution), timeMs: seconds * 1000 };
}

function tokenLimitOf(
  { maxTokensPerRun, maxTokensPerDay, tokensLastDay }: StoredBudget,
  { maxEmbeddingTokens }: Asked,
): RunLimits['embedding'] {
  if (maxTokensPerRun === null && maxTokensPerDay === null) return null;
  const perRun = maxTokensPerRun ?? Infinity;
  const perDay = maxTokensPerDay ?? Infinity;
  const leftToday = Math.max(0, perDay - tokensLastDay);
  const runSetting =
    maxEmbeddingTokens === maxTokensPerRun ? 'max_embedding_tokens' : 'max_embedding_tokens_per_run';
  const daySetting = 'max_embedding_tokens_per_day';
  return {
    tokens: Math.min(perRun, leftToday),
    setting: perRun <= leftToday ? runSetting : `${daySetting}: ${tokensLastDay} of ${perDay} in 24 hours`,
    most: Math.min(perRun, perDay),
    mostSetting: perRun <= perDay ? runSetting : daySetting,
  };
}
