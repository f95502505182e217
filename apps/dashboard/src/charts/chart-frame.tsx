import { type ComponentChildren } from 'preact';
import { DataTable } from '../parts/data-table.js';
import { type Bar, type Series } from './series.js';

interface ChartFrameProps {
  title: string;
  axis: string;
  series: readonly Series[];
  bars: readonly Bar[];
  write: (value: number) => string;
  children: ComponentChildren;
}

/** A chart's title and legend, and the same numbers as a table. */
export function ChartFrame({ title, axis, series, bars, write, children }: ChartFrameProps) {
  return (
    <figure class="panel chart">
      <figcaption>
        <h2>{title}</h2>
        <ul class="legend">
          {series.map(({ name, colour }) => (
            <li key={name}>
              <svg viewBox="0 0 10 10" aria-hidden="true">
                <rect class={`fill-${colour}`} width="10" height="10" rx="2" />
              </svg>
              {name}
            </li>
          ))}
        </ul>
      </figcaption>
      {children}
      <details>
        <summary>Show as a table</summary>
        <DataTable
          caption={title}
          rows={bars}
          keyOf={(bar) => `${bars.indexOf(bar)}`}
          columns={[
            { title: axis, cell: (bar: Bar) => bar.fullLabel ?? bar.label },
            ...series.map(({ name }, index) => ({
              title: name,
              isNumber: true,
              cell: (bar: Bar) => {
                const value = bar.values[index] ?? null;
                return value === null ? '–' : write(value);
              },
            })),
          ]}
        />
      </details>
    </figure>
  );
}
