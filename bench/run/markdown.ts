import { type Cell, type Goal, median, type StoredReport, type Table } from './report.js';

/** A section of docs/performance.md. */
export function sectionOf(report: StoredReport): string {
  const { name, title, explains, machine, date, input, limits } = report;
  const command = `npm run bench -- ${name}${report.isQuick ? ' --quick' : ''}`;
  return [
    `## ${title}`,
    `${explains}`,
    `\`${command}\`, ${date}: ${machine}; ${input}.`,
    ...report.tables.map(tableOf),
    ...(report.goals.length > 0 ? [goalsOf(report.goals)] : []),
    `**What limits it.** ${limits}`,
  ].join('\n\n');
}

/** Cells with repeated measurements show minimum, median and maximum. */
export function tableOf({ title, columns, rows, plot }: Table): string {
  const isText = columns.map((_, at) => rows.every((row) => typeof row[at] === 'string'));
  const lines = [
    `| ${columns.map((column) => column.title).join(' | ')} |`,
    `| ${isText.map((text) => (text ? '---' : '---:')).join(' | ')} |`,
    ...rows.map((row) => `| ${row.map((cell, at) => textOf(cell, columns[at]?.digits ?? 0)).join(' | ')} |`),
  ];
  const chart = plot === undefined ? [] : ['', plotOf(rows, plot, columns[plot.value]!.title)];
  return [`**${title}**`, '', ...lines, ...chart].join('\n');
}

function textOf(cell: Cell, digits: number): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell;
  const shown = (value: number) =>
    value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  if (typeof cell === 'number') return shown(cell);
  const sorted = cell.toSorted((a, b) => a - b);
  if (sorted.length === 1) return shown(sorted[0]!);
  return [sorted[0]!, median(cell), sorted.at(-1)!].map(shown).join(' / ');
}

/** Hosts of Markdown draw it. */
function plotOf(rows: Cell[][], plot: NonNullable<Table['plot']>, title: string): string {
  const bars = rows.map((row) => {
    const value = row[plot.value];
    const label = plot.labels.map((at) => textOf(row[at] ?? null, 0)).join(' ');
    return { label, value: typeof value === 'number' ? value : median(value as number[]) };
  });
  return [
    '```mermaid',
    'xychart-beta horizontal',
    `  x-axis [${bars.map(({ label }) => JSON.stringify(label)).join(', ')}]`,
    `  y-axis ${JSON.stringify(title)}`,
    `  bar [${bars.map(({ value }) => Number(value.toPrecision(3))).join(', ')}]`,
    '```',
  ].join('\n');
}

function goalsOf(goals: readonly Goal[]): string {
  const lines = goals.map(({ goal, found, isMet }) => `| ${goal} | ${found} | ${isMet ? 'yes' : '**no**'} |`);
  return ['| goal | found | met |', '| --- | ---: | --- |', ...lines].join('\n');
}
