import { useState } from 'preact/hooks';
import { DataTable } from '../parts/data-table.js';
import { formatNumber } from '../parts/format.js';
import { axisTicks, labelStride, shortNumber } from './scale.js';

interface Series {
  name: string;
  /** A status, or another colour of style/base.css. */
  colour: string;
}

interface Bar {
  /** Below the bar. */
  label: string;
  /** In the table and on hover; default: the label. */
  fullLabel?: string;
  /** The list of what the bar counts. */
  href?: string;
  /** One per series, stacked. Null: unknown. */
  values: readonly (number | null)[];
}

interface BarChartProps {
  title: string;
  /** The content of the chart in one sentence, for screen readers. */
  summary: string;
  /** The title of the table's first column. */
  axis: string;
  series: readonly Series[];
  bars: readonly Bar[];
  /** Formats values in the table and on hover. */
  format?: (value: number) => string;
  /** Formats values on the axis. */
  formatAxis?: (value: number) => string;
  /** Top of the axis; default: the highest bar. */
  top?: number;
}

const WIDTH = 480;
const HEIGHT = 180;
const LEFT = 52;
const BOTTOM = 22;
const TOP = 8;
const MAX_LABELS = 7;
/** The centred label of a first bar narrower than this would cross the axis. */
const MIN_CENTRED_WIDTH = 40;

/** A stacked bar chart with its title and legend, and the same numbers as a table. */
export function BarChart(props: BarChartProps) {
  const { title, series } = props;
  return (
    <figure class="panel chart">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ name, colour }) => (
            <li key={name}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect style={`fill: var(--${colour})`} width="10" height="10" rx="2" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      <Drawing {...props} />
      <Numbers {...props} />
    </figure>
  );
}

/** Drawn when it is opened: most readers look at the bars, and a year has thousands of cells. */
function Numbers({ title, axis, series, bars, format = formatNumber }: BarChartProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Show as table</summary>
      {isOpen && (
        <DataTable
          caption={title}
          rows={bars}
          keyOf={(bar) => `${bars.indexOf(bar)}`}
          columns={[
            {
              title: axis,
              cell: ({ href, fullLabel, label }) =>
                href === undefined ? (fullLabel ?? label) : <a href={href}>{fullLabel ?? label}</a>,
            },
            ...series.map(({ name }, index) => ({
              title: name,
              isNumber: true,
              cell: ({ values }: Bar) => {
                const value = values[index] ?? null;
                return value === null ? null : format(value);
              },
            })),
          ]}
        />
      )}
    </details>
  );
}

function Drawing({ title, summary, series, bars, format, formatAxis = shortNumber, top }: BarChartProps) {
  const highest = Math.max(0, ...bars.map(({ values }) => sum(values)));
  const ticks = top === undefined ? axisTicks(highest) : [0, top / 4, top / 2, (top * 3) / 4, top];
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / (ticks.at(-1) ?? 1));
  const slot = (WIDTH - LEFT) / Math.max(1, bars.length);
  const gap = Math.min(slot * 0.2, 4);
  const stride = labelStride(bars.length, MAX_LABELS);
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${summary}`}>
      {ticks.map((tick) => (
        <g key={tick} class="tick">
          <line x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
          <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
            {formatAxis(tick)}
          </text>
        </g>
      ))}
      {bars.map((bar, index) => {
        const x = LEFT + slot * index;
        const startsAtAxis = index === 0 && slot < MIN_CENTRED_WIDTH;
        return (
          // The drawing is one image for screen readers; the table has the same links for the keyboard.
          <g
            key={`${index} ${bar.label}`}
            class={bar.href === undefined ? '' : 'is-link'}
            onClick={() => {
              if (bar.href !== undefined) location.hash = bar.href;
            }}
          >
            <title>{describe(bar, series, format)}</title>
            <rect class="hover" x={x} y={TOP} width={slot} height={HEIGHT - TOP - BOTTOM} />
            {series.map(({ name, colour }, part) => {
              if ((bar.values[part] ?? 0) <= 0) return null;
              const upper = y(sum(bar.values.slice(0, part + 1)));
              const height = Math.max(1, y(sum(bar.values.slice(0, part))) - upper);
              const area = { x: x + gap / 2, y: upper, width: slot - gap, height };
              return <rect key={name} style={`fill: var(--${colour})`} {...area} />;
            })}
            {index % stride === 0 && (
              <text
                x={startsAtAxis ? x : x + slot / 2}
                y={HEIGHT - 6}
                text-anchor={startsAtAxis ? 'start' : 'middle'}
              >
                {bar.label}
              </text>
            )}
          </g>
        );
      })}
    </svg>
  );
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

function describe(bar: Bar, series: readonly Series[], format = formatNumber): string {
  const parts = series.flatMap(({ name }, index) => {
    const value = bar.values[index] ?? null;
    return value === null || (value === 0 && series.length > 1) ? [] : [`${name} ${format(value)}`];
  });
  return `${bar.fullLabel ?? bar.label}: ${parts.length === 0 ? 'no data' : parts.join(', ')}`;
}
