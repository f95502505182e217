import { type Clock, type RunCounters } from '@core/domain';

/** A bound on what is embedded, in estimated tokens. */
export interface TokenLimit {
  /** What this execution may embed, over all its attempts. */
  tokens: number;
  /** Which setting says so, for the message. */
  setting: string;
  /** The most that any execution may: a file that needs more fits into none. */
  most: number;
  mostSetting: string;
}

export interface RunLimits {
  embedding: TokenLimit | null;
  /** Of one attempt; 0: none. */
  timeMs: number;
}

export const NO_LIMITS: RunLimits = { embedding: null, timeMs: 0 };

/** Why a run ended before its work did. */
export interface BudgetStop {
  code: 'budget_reached' | 'time_budget_reached';
  message: string;
}

const GOES_ON = 'What is stored stays, and the next run goes on from there.';

/** What becomes of a file: embedded, left to a later run, or more than any run may embed. */
export type Admission = 'admitted' | 'later' | 'never';

/**
 * Stops a run before it passes what it may spend. Reading asks whether to go on, embedding whether a file still fits; what
 * was read is stored, so that no time limit makes work be done twice. A file that fits into no run holds nothing else up.
 */
export class RunBudget {
  private readonly startedMs: number;
  private isExhausted = false;
  private hasStored = false;
  private leftFiles = 0;
  private refusedFiles = 0;
  private unfit: { path: string; tokens: number; files: number } | null = null;

  constructor(
    private readonly limits: RunLimits,
    private readonly counters: RunCounters,
    private readonly clock: Clock,
  ) {
    this.startedMs = clock.monotonicMs();
  }

  /** Nothing more is to be read. Never before something was stored: else a short limit would never get anywhere. */
  isOver(): boolean {
    if (this.isExhausted) return true;
    const { timeMs } = this.limits;
    return timeMs > 0 && this.hasStored && this.clock.monotonicMs() - this.startedMs >= timeMs;
  }

  noteStored(): void {
    this.hasStored = true;
  }

  /** Takes note of files that were neither read nor copied. */
  leave(files: number): void {
    this.leftFiles += files;
  }

  /** Spends what a file needs, or refuses the file as a whole. What costs nothing always fits. */
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

  /** Files that no run may embed, of this attempt. */
  get unfitFiles(): number {
    return this.unfit?.files ?? 0;
  }

  /** Null when everything that was asked for was done, but for what fits into no run. */
  stop(): BudgetStop | null {
    const left = this.leftFiles + this.refusedFiles;
    if (left === 0) return null;
    if (this.refusedFiles > 0) return { code: 'budget_reached', message: this.tokenMessage(left) };
    const seconds = Math.round(this.limits.timeMs / 1000);
    const message = `The run stopped after its time budget of ${seconds} s with ${left} file(s) left. ${GOES_ON}`;
    return { code: 'time_budget_reached', message };
  }

  /** What a run that came to its end could not do for its budget. */
  shortfall(): BudgetStop | null {
    if (this.unfit === null) return null;
    const message = `${this.unfit.files} file(s) fit into no run's budget; all else is done. ${this.unfitMessage(this.unfit)}`;
    return { code: 'budget_reached', message };
  }

  private tokenMessage(left: number): string {
    const { tokens, setting } = this.limits.embedding!;
    const spent = `${this.counters.embeddingTokens} of ${tokens} estimated tokens (${setting}) are spent`;
    const base = `The run stopped before it passed its budget: ${spent}, and ${left} file(s) are left. ${GOES_ON}`;
    return this.unfit === null ? base : `${base} ${this.unfitMessage(this.unfit)}`;
  }

  /** Only where a limit refused it. */
  unfitMessage({ path, tokens }: { path: string; tokens: number }): string {
    const { most, mostSetting } = this.limits.embedding!;
    return (
      `"${path}" alone needs ${tokens} tokens, and no run may embed more than ${most}: ` +
      `raise ${mostSetting}, or exclude the file.`
    );
  }
}
