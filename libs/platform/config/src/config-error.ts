export interface ConfigProblem {
  variable: string;
  /** The value in the environment; `(set)` for a secret, `(unset)` when absent. */
  found: string;
  expected: string;
}

/** Exit code after a {@link ConfigError}: EX_CONFIG of sysexits.h. The chart's migration is not repeated after it. */
export const CONFIG_EXIT_CODE = 78;

/** The configuration is invalid. Contains all problems at once, and no secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ variable, found, expected }) => `  ${variable}: found ${found}; expected ${expected}`,
    );
    super(['The configuration is invalid:', ...lines, 'See docs/configuration.md.'].join('\n'));
  }
}
