import cronstrue from 'cronstrue';

/**
 * A cron expression in plain words; null when it cannot be read.
 * @param tick one of its ticks, in its time zone: it says which number replaced `H`.
 */
export function describeCron(expression: string, tick: Date | null, timezone: string): string | null {
  const fields = expression.trim().split(/\s+/);
  if (fields.length !== 5) return null;
  const plain = fields.map((field, index) => withoutH(field, index, tick, timezone));
  if (plain.some((field) => field.includes('H'))) return null;
  try {
    return cronstrue.toString(plain.join(' '), { use24HourTimeFormat: true, verbose: true });
  } catch {
    return null;
  }
}

function withoutH(field: string, index: number, tick: Date | null, timezone: string): string {
  const stepped = field.replace(/H(\([^)]*\))?\//g, '*/');
  if (!stepped.includes('H') || tick === null || index > 1) return stepped;
  const part = index === 0 ? { minute: 'numeric' as const } : { hour: 'numeric' as const, hour12: false };
  const number = Number(new Intl.DateTimeFormat('en', { ...part, timeZone: timezone }).format(tick)) % 60;
  return stepped.replace(/H(\([^)]*\))?/g, String(index === 1 ? number % 24 : number));
}
