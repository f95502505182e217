import { CommandFailure, EXIT, usageFailure } from '../failure.js';

/** Asks on a terminal; elsewhere the option is required. @throws CommandFailure unless it is confirmed. */
export async function confirm(question: string, isConfirmed: boolean | undefined): Promise<void> {
  if (isConfirmed) return;
  if (!process.stdin.isTTY || !process.stderr.isTTY)
    throw usageFailure('not_confirmed', `${question} Confirm it with --yes.`);
  // Only here, because most commands have no question.
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await terminal.question(`${question} [y/N] `);
  terminal.close();
  if (!/^y(es)?$/i.test(answer.trim()))
    throw new CommandFailure(EXIT.failed, 'not_confirmed', 'Nothing was changed.');
}
