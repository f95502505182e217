/** The result of the check of one invariant. */
export interface Verdict {
  invariant: string;
  promise: string;
  /** Number of subjects checked; zero means that the run did not test the invariant. */
  looked: number;
  violations: string[];
  /** Measurements for the reader; they do not decide whether the invariant holds. */
  measured: Record<string, number | string>;
}

/** Collects the violations of one invariant. */
export class Judge {
  private readonly violations: string[] = [];
  private readonly measured: Record<string, number | string> = {};
  private looked = 0;

  constructor(
    private readonly invariant: string,
    private readonly promise: string,
  ) {}

  /** @param evidence is called only when the subject fails. */
  check(isHeld: boolean, evidence: () => string): void {
    this.looked++;
    if (!isHeld) this.violations.push(evidence());
  }

  measure(what: string, value: number | string): void {
    this.measured[what] = value;
  }

  verdict(): Verdict {
    const { invariant, promise, looked, violations, measured } = this;
    return { invariant, promise, looked, violations, measured };
  }
}

/** The value below which that share of all values lies; 0 when there are none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
