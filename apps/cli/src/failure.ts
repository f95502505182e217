/** The exit codes of every command; docs/cli.md lists them. */
export const EXIT = {
  failed: 1,
  usage: 2,
  unreachable: 3,
  refused: 4,
  drift: 5,
  /** The code that shells report for a program that Ctrl-C ended. */
  interrupted: 130,
} as const;

/** A failure that is reported in one line, with the exit code that scripts can depend on. */
export class CommandFailure extends Error {
  constructor(
    readonly exitCode: number,
    readonly code: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What was given on the command line or in the settings of the client is wrong. */
export function usageFailure(code: string, message: string): CommandFailure {
  return new CommandFailure(EXIT.usage, code, message);
}
