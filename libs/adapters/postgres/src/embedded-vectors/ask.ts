/** Runs one statement, unless the signal is aborted before or after it. */
export type Ask = <Row extends object>(
  sql: string,
  parameters: readonly unknown[],
  signal: AbortSignal,
) => Promise<Row[]>;
