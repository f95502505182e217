import { type Clock, type Execution, type RunCounters, type StoredBudget } from '@core/domain';

/** A limit on embedded text, in estimated tokens. */
export interface TokenLimit {
  /** For this execution, over all its attempts. */
  tokens: number;
  /** The setting with this limit, for the message. */
  setting: string;
  /** The highest limit of any execution: a file that needs more is never embedded. */
  most: number;
  mostSetting: string;
}

export interface RunLimits {
  embedding: TokenLimit | null;
  /** Time limit of one attempt; 0: none. */
  timeMs: number;
}

/**
 * The limits of an execution. A full sync has no time limit: it ignores the manifest, so it would start from the
 * beginning after every stop.
 */
export function limitsOf(
  stored: StoredBudget,
  execution: Pick<Execution, 'fullSync' | 'maxEmbeddingTokens'>,
): RunLimits {
  const seconds = execution.fullSync ? 0 : (stored.timeBudgetSeconds ?? 0);
  return { embedding: tokenLimitOf(stored, execution.maxEmbeddingTokens), timeMs: seconds * 1000 };
}

function tokenLimitOf(
  { maxTokensPerRun, maxTokensPerDay, tokensLastDay }: StoredBudget,
  maxEmbeddingTokens: number | null,
): TokenLimit | null {
  if (maxTokensPerRun === null && maxTokensPerDay === null) return null;
  const perRun = maxTokensPerRun ?? Infinity;
  const perDay = maxTokensPerDay ?? Infinity;
  const remainingToday = Math.max(0, perDay - tokensLastDay);
  const runSetting =
    maxEmbeddingTokens === maxTokensPerRun ? 'max_embedding_tokens' : 'max_embedding_tokens_per_run';
  const daySetting = 'max_embedding_tokens_per_day';
  const isDayLower = perRun > remainingToday;
  return {
    tokens: Math.min(perRun, remainingToday),
    setting: isDayLower ? `${daySetting}: ${tokensLastDay} of ${perDay} in 24 hours` : runSetting,
    most: Math.min(perRun, perDay),
    mostSetting: perRun <= perDay ? runSetting : daySetting,
  };
}

/** Why a run stopped before all its work was done. */
export interface BudgetStop {
  code: 'budget_reached' | 'time_budget_reached';
  message: string;
}

const NEXT_RUN = 'What is stored stays, and the next run continues from there.';

/** Whether a file is embedded now, by a later run, or never because it exceeds every run's limit. */
export type Admission = 'admitted' | 'later' | 'never';

/**
 * Stops a run before it exceeds its limits. Reading checks whether to continue, embedding whether a file still fits.
 * Files that were read are stored, so that a time limit never repeats work. A file that exceeds every run's limit does
 * not stop the run.
 */
export class RunBudget {
  private readonly startedMs: number;
  private isExhausted = false;
  private hasStored = false;
  private unreadFiles = 0;
  private refusedFiles = 0;
  private unfit: { path: string; tokens: number; files: number } | null = null;
  limits: RunLimits = { embedding: null, timeMs: 0 };

  constructor(
    private readonly counters: RunCounters,
    private readonly clock: Clock,
  ) {
    this.startedMs = clock.monotonicMs();
  }

  /** Whether to stop reading. False until a batch was stored: otherwise a short limit would prevent all progress. */
  isOver(): boolean {
    if (this.isExhausted) return true;
    const { timeMs } = this.limits;
    return timeMs > 0 && this.hasStored && this.clock.monotonicMs() - this.startedMs >= timeMs;
  }

  recordStored(): void {
    this.hasStored = true;
  }

  /** Adds files that were neither read nor copied. */
  addUnread(files: number): void {
    this.unreadFiles += files;
  }

  /** Spends the tokens of a whole file, or refuses it. A file without tokens always fits. */
  admit(path: string, tokens: number): Admission {
    const limit = this.limits.embedding;
    if (tokens === 0 || limit === null || this.counters.embeddingTokens + tokens <= limit.tokens) {
      this.counters.embeddingTokens += tokens;
      return 'admitted';
    }
    if (tokens > limit.most) {
      this.unfit = { ...(this.unfit ?? { path, tokens }), files: this.unfitFiles + 1 };
      return 'never';
    }
    this.refusedFiles++;
    this.isExhausted = true;
    return 'later';
  }

  /** Files of this attempt that no run may embed. */
  get unfitFiles(): number {
    return this.unfit?.files ?? 0;
  }

  /** Null when all files are done, except those that fit into no run. */
  stop(): BudgetStop | null {
    const remaining = this.unreadFiles + this.refusedFiles;
    if (remaining === 0) return null;
    if (this.refusedFiles > 0) return { code: 'budget_reached', message: this.tokenMessage(remaining) };
    const seconds = Math.round(this.limits.timeMs / 1000);
    const message = `The run stopped after its time budget of ${seconds} s with ${remaining} file(s) left. ${NEXT_RUN}`;
    return { code: 'time_budget_reached', message };
  }

  /** The work that a complete run omitted because of its budget; null: none. */
  shortfall(): BudgetStop | null {
    if (this.unfit === null) return null;
    const message = `${this.unfit.files} file(s) exceed the token limit of every run; all others are done. ${this.unfitMessage(this.unfit)}`;
    return { code: 'budget_reached', message };
  }

  private tokenMessage(remaining: number): string {
    const { tokens, setting } = this.limits.embedding!;
    const spent = `${this.counters.embeddingTokens} of ${tokens} estimated tokens (${setting}) are used`;
    const base = `The run stopped before it exceeded its budget: ${spent}, and ${remaining} file(s) are left. ${NEXT_RUN}`;
    return this.unfit === null ? base : `${base} ${this.unfitMessage(this.unfit)}`;
  }

  /** Call only when a limit refused the file. */
  unfitMessage({ path, tokens }: { path: string; tokens: number }): string {
    const { most, mostSetting } = this.limits.embedding!;
    return (
      `"${path}" alone needs ${tokens} tokens, and no run may embed more than ${most}: ` +
      `raise ${mostSetting}, or exclude the file.`
    );
  }
}
