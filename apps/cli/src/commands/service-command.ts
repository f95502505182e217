import { Command } from 'commander';
import { printJson } from '../output/tables.js';
import { pause, type Session } from '../service/client.js';
import { wholeNumber } from './options.js';
import { withService } from './with-service.js';

/** A command with the options, the examples and the output that many commands share. */
export class ServiceCommand extends Command {
  override createCommand(name?: string): ServiceCommand {
    return new ServiceCommand(name);
  }

  examples(...lines: readonly string[]): this {
    return this.addHelpText('after', `\nExamples:\n${lines.map((line) => `  ${line}`).join('\n')}`);
  }

  repository(): this {
    return this.argument('<repository>', 'path, path@branch or id');
  }

  /** @param what is printed, such as "the rows". */
  json(what = 'the row'): this {
    return this.option('--json', `print ${what} as JSON`);
  }

  limit(byDefault: number): this {
    return this.option('-n, --limit <n>', 'how many, 1 to 500', wholeNumber(1, 500), byDefault);
  }

  watch(): this {
    const seconds = wholeNumber(1, 3600);
    return this.option('-w, --watch [seconds]', 'show it again every 2 seconds, until Ctrl-C', seconds);
  }

  confirmed(): this {
    return this.option('-y, --yes', 'do not ask');
  }

  /**
   * Does the work with a service and prints the result: as text, or as JSON with `--json`; with `--watch` again and again.
   * Work and text get the arguments of the command, then its options.
   * @param content what of the result is printed as JSON; default: all.
   */
  answers<Given extends unknown[], Result>(
    work: (session: Session, ...given: Given) => Promise<Result>,
    text: (result: Result, ...given: Given) => string,
    content: (result: Result) => unknown = (result) => result,
  ): this {
    return this.action(async (...all: unknown[]) => {
      const given = all.slice(0, -1) as Given;
      const { json, watch: every } = this.opts<{ json?: boolean; watch?: number | true }>();
      await withService(this, (session) =>
        // `--watch` without a number arrives as `true`.
        repeat(every === true ? 2 : every, session.signal, async () => {
          const result = await work(session, ...given);
          if (json) printJson(content(result));
          else process.stdout.write(`${text(result, ...given)}\n`);
        }),
      );
    });
  }
}

const CLEAR = '\x1b[H\x1b[2J\x1b[3J';

/** Shows something again and again until Ctrl-C; without an interval once. */
async function repeat(
  everySeconds: number | undefined,
  signal: AbortSignal,
  show: () => Promise<void>,
): Promise<void> {
  if (everySeconds === undefined) return show();
  while (!signal.aborted) {
    if (process.stdout.isTTY) process.stdout.write(CLEAR);
    await show();
    // Ctrl-C is how a watch ends, so it is no failure.
    await pause(everySeconds * 1000, signal).catch(() => undefined);
  }
}
