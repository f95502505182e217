import { axisTicks, labelStride, shortNumber } from './scale.js';
import { ChartFrame } from './chart-frame.js';
import { type Bar, type Series } from './series.js';

interface BarChartProps {
  title: string;
  /** What the chart says in one sentence, for those who do not see it. */
  summary: string;
  /** What the bars stand for: the head of the table's first column. */
  axis: string;
  series: readonly Series[];
  bars: readonly Bar[];
  /** Values as they are written in the table and on hover. */
  format?: (value: number) => string;
  /** Values as they are written on the axis. */
  formatAxis?: (value: number) => string;
  /** Top of the axis; without it the highest bar decides. */
  top?: number;
}

const WIDTH = 480;
const HEIGHT = 180;
const LEFT = 52;
const BOTTOM = 22;
const TOP = 8;
const MOST_LABELS = 7;
/** A label in the middle of a bar that is narrower reaches over the axis. */
const NARROW = 40;

export function BarChart({ title, summary, axis, series, bars, format, formatAxis, top }: BarChartProps) {
  const write = format ?? ((value: number) => value.toLocaleString('en'));
  const highest = Math.max(0, ...bars.map(({ values }) => sum(values)));
  const ticks = top === undefined ? axisTicks(highest) : [0, top / 4, top / 2, (top * 3) / 4, top];
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / (ticks.at(-1) ?? 1));
  const slot = (WIDTH - LEFT) / Math.max(1, bars.length);
  const stride = labelStride(bars.length, MOST_LABELS);
  return (
    <ChartFrame title={title} axis={axis} series={series} bars={bars} write={write}>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={`${title}. ${summary}`}>
        {ticks.map((tick) => (
          <g key={tick} class="tick">
            <line x1={LEFT} x2={WIDTH} y1={y(tick)} y2={y(tick)} />
            <text x={LEFT - 6} y={y(tick) + 4} text-anchor="end">
              {(formatAxis ?? shortNumber)(tick)}
            </text>
          </g>
        ))}
        {bars.map((bar, index) => {
          const x = LEFT + slot * index;
          return (
            <g key={`${index} ${bar.label}`}>
              <title>{describe(bar, series, write)}</title>
              <rect class="hover" x={x} y={TOP} width={slot} height={HEIGHT - TOP - BOTTOM} />
              {series.map(({ name, colour }, part) => {
                const value = bar.values[part] ?? 0;
                if (value <= 0) return null;
                const upper = y(sum(bar.values.slice(0, part + 1)));
                const lower = y(sum(bar.values.slice(0, part)));
                const gap = Math.min(slot * 0.2, 4);
                return (
                  <rect
                    key={name}
                    class={`fill-${colour}`}
                    x={x + gap / 2}
                    y={upper}
                    width={slot - gap}
                    height={Math.max(1, lower - upper)}
                  />
                );
              })}
              {index % stride === 0 && (
                <text
                  x={index === 0 && slot < NARROW ? x : x + slot / 2}
                  y={HEIGHT - 6}
                  text-anchor={index === 0 && slot < NARROW ? 'start' : 'middle'}
                >
                  {bar.label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </ChartFrame>
  );
}

function sum(values: readonly (number | null)[]): number {
  return values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

function describe(bar: Bar, series: readonly Series[], write: (value: number) => string): string {
  const parts = series.flatMap(({ name }, index) => {
    const value = bar.values[index] ?? null;
    return value === null || (value === 0 && series.length > 1) ? [] : [`${name} ${write(value)}`];
  });
  return `${bar.fullLabel ?? bar.label}: ${parts.length === 0 ? 'nothing' : parts.join(', ')}`;
}
