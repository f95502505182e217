/** The limits of an execution, from its schedule and its caller. */
export interface StoredBudget {
  /** Null: no limit. */
  maxTokensPerRun: number | null;
  maxTokensPerDay: number | null;
  /** Tokens that other executions of the repository embedded in the last 24 hours; 0 without a daily limit. */
  tokensLastDay: number;
  /** 0 or null: no limit. */
  timeBudgetSeconds: number | null;
}

export abstract class BudgetStore {
  /**
   * A manual run has its own limit and a scheduled run the limit of its schedule. A run started by a push or a recovery
   * has the strictest limit of the repository's active schedules.
   */
  abstract budgetOf(executionId: string): Promise<StoredBudget>;
}
