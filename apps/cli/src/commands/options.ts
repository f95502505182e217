import { InvalidArgumentError, type Command } from 'commander';

/** The options of every command that talks to a service. */
export function addServiceOptions(program: Command): void {
  program
    .optionsGroup('Service:')
    .option('--url <url>', 'address of a running service (REPOTIDE_URL)')
    .option('--profile <name>', 'a service of the configuration file, see "repotide profile --help"')
    .option('--token-file <path>', 'file with the token of the service (REPOTIDE_TOKEN_FILE)')
    .option(
      '--token <token>',
      'the token itself; REPOTIDE_TOKEN and files are better, as other users see arguments',
    )
    .option('--local', 'embed a service in this process, also when an address or a profile is set')
    .option('--request-timeout <seconds>', 'longest wait for one answer; default: 60', wholeNumber(1, 3600));
}

export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min}` : `from ${min} to ${max}`;
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`expected a whole number ${range}.`);
  };
}

export function decimal(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number.');
  return value;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 };

/** An instant, or how long ago it was: `2h`, `7d`. @returns it as the API takes it. */
export function instant(text: string): string {
  const [, amount, unit = ''] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  const time =
    amount === undefined
      ? new Date(text)
      : new Date(Date.now() - Number(amount) * (UNIT_SECONDS[unit] ?? 1) * 1000);
  if (!Number.isNaN(time.getTime())) return time.toISOString();
  throw new InvalidArgumentError('expected a time such as 2026-11-01T00:00:00Z, or an age such as 2h or 7d.');
}

/** Collects a repeated or comma-separated option. */
export function words<Word extends string>(choices: readonly Word[]) {
  return (text: string, before: Word[] = []): Word[] => {
    const given = text.split(',').map((part) => part.trim());
    const wrong = given.find((word) => !choices.includes(word as Word));
    if (wrong === undefined) return [...before, ...(given as Word[])];
    throw new InvalidArgumentError(`"${wrong}" is none of ${choices.join(', ')}.`);
  };
}

/** Whether no field has a value: there is nothing to change. */
export function isEmpty(body: object): boolean {
  return Object.values(body).every((value) => value === undefined);
}
