export interface ConfigProblem {
  variable: string;
  /** What the environment holds; `(set)` instead of a secret's value, `(unset)` when absent. */
  found: string;
  expected: string;
}

/** The environment does not describe a process that could work. Holds every problem at once, and no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ variable, found, expected }) => `  ${variable}: found ${found}; expected ${expected}`,
    );
    super(['The configuration cannot be used:', ...lines, 'See docs/configuration.md.'].join('\n'));
  }
}
