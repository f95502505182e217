/** "3 minutes ago"; null: "never". */
export function ago(at: Date | null, now = new Date()): string {
  if (at === null) return 'never';
  const seconds = Math.max(0, Math.round((now.getTime() - at.getTime()) / 1000));
  const [size, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, 'second'];
  const count = Math.floor(seconds / size);
  return `${count} ${unit}${count === 1 ? '' : 's'} ago`;
}

const UNITS: readonly (readonly [seconds: number, unit: string])[] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
];

export function shortCommit(commit: string | null): string {
  return commit === null ? 'no commit' : commit.slice(0, 10);
}

/** Lines with their numbers, as `cat -n` shows them. */
export function numbered(lines: readonly string[], firstLine: number): string {
  const width = String(firstLine + lines.length - 1).length;
  return lines.map((line, index) => `${String(firstLine + index).padStart(width)} | ${line}`).join('\n');
}
