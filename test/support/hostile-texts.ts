/** Texts that begin a match at many places, or one that goes on for long, and never end it as a rule expects. */
export function hostileTexts(part: string, length: number): string[] {
  const filled = (unit: string): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
  return [
    filled(part),
    filled(`-${part}`),
    filled(` ${part}a`),
    filled(`${part}.`),
    filled(`-${part}aA1b2C3d4`),
    filled(`-${part}aA1b2C3d4e5F6g7H8.`),
    `${part}${filled('aB3-')}`,
    `${part}${filled(' ')}`,
  ];
}
