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

/**
 * Stops a run before it passes what it may spend. Reading asks whether to go on, embedding whether a file still fits; what
 * was read is stored, so that no time limit makes work be done twice.
 */
export class RunBudget {
  private readonly startedMs: number;
  private isExhausted = false;
  private hasStored = false;
  private leftFiles = 0;
  private refusedFiles = 0;
  private tooLarge: { path: string; tokens: number } | null = null;

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
  admit(path: string, tokens: number): boolean {
    const limit = this.limits.embedding;
    if (tokens > 0 && limit !== null && this.counters.embeddingTokens + tokens > limit.tokens) {
      this.refusedFiles++;
      // Of such a file nothing is to be hoped from the next run; the others go on.
      if (tokens > limit.most) this.tooLarge ??= { path, tokens };
      else this.isExhausted = true;
      return false;
    }
    this.counters.embeddingTokens += tokens;
    return true;
  }

  /** Null when everything that was asked for was done. */
  stop(): BudgetStop | null {
    const left = this.leftFiles + this.refusedFiles;
    if (left === 0) return null;
    if (this.refusedFiles > 0) return { code: 'budget_reached', message: this.tokenMessage(left) };
    const seconds = Math.round(this.limits.timeMs / 1000);
    const message = `The run stopped after its time budget of ${seconds} s with ${left} file(s) left. ${GOES_ON}`;
    return { code: 'time_budget_reached', message };
  }

  private tokenMessage(left: number): string {
    const { tokens, setting, most, mostSetting } = this.limits.embedding!;
    const spent = `${this.counters.embeddingTokens} of ${tokens} estimated tokens (${setting}) are spent`;
    const base = `The run stopped before it passed its budget: ${spent}, and ${left} file(s) are left. ${GOES_ON}`;
    if (this.tooLarge === null) return base;
    const { path, tokens: needed } = this.tooLarge;
    return (
      `${base} "${path}" alone needs ${needed} tokens, and no run may embed more than ${most}: ` +
      `raise ${mostSetting}, or exclude the file.`
    );
  }
}
