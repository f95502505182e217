import { type ComponentChildren } from 'preact';
import { formatNumber } from './format.js';

export interface Column<Row> {
  title: string;
  /** A number is formatted, and null is shown as a dash. */
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
  /** Hidden on narrow screens. */
  isExtra?: boolean;
}

interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** A table that scrolls sideways, also by keyboard. The first column names the row. */
export function DataTable<Row>({ caption, columns, rows, keyOf }: DataTableProps<Row>) {
  const classOf = ({ isNumber, isExtra }: Column<Row>): string =>
    [isNumber && 'number', isExtra && 'extra'].filter(Boolean).join(' ');
  return (
    <div class="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.title} scope="col" class={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => {
                const Cell = index === 0 ? 'th' : 'td';
                const value = column.cell(row);
                return (
                  <Cell key={column.title} scope={index === 0 ? 'row' : undefined} class={classOf(column)}>
                    {typeof value === 'number' ? formatNumber(value) : (value ?? '–')}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
