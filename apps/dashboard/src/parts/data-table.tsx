import { type ComponentChildren } from 'preact';
import { formatNumber } from './format.js';

export interface Column<Row> {
  title: string;
  /** A number is formatted, and null is shown as a dash. */
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
  /** Hidden on narrow screens. */
  isExtra?: boolean;
  /** The API's name of the order by this column, if the rows can be ordered by it. */
  sort?: string;
}

export interface DataTableProps<Row> {
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Default: the id. */
  keyOf?: (row: Row) => string;
  /** The present order; a minus before it is descending. */
  sort?: string;
  linkToSort?: (sort: string) => string;
  /** Chooses rows; absent: none can be chosen. */
  choice?: {
    chosen: ReadonlySet<string>;
    set: (keys: ReadonlySet<string>) => void;
    nameOf: (row: Row) => string;
  };
}

/** A table that scrolls sideways, also by keyboard. The first column names the row. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, columns, rows, keyOf = idOf, choice } = props;
  return (
    <div class="table-scroll" role="group" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {choice && <ChooseAll keys={rows.map(keyOf)} {...choice} />}
            {columns.map((column) => (
              <Heading key={column.title} column={column} {...props} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {choice && (
                <td class="choice">
                  <input
                    type="checkbox"
                    aria-label={`Choose ${choice.nameOf(row)}`}
                    checked={choice.chosen.has(keyOf(row))}
                    onChange={() => choice.set(toggled(choice.chosen, keyOf(row)))}
                  />
                </td>
              )}
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

const idOf = (row: unknown): string => (row as { id: string }).id;

function classOf({ isNumber, isExtra }: Column<never>): string {
  return [isNumber && 'number', isExtra && 'extra'].filter(Boolean).join(' ');
}

interface HeadingProps<Row> {
  column: Column<Row>;
  sort?: string;
  linkToSort?: (sort: string) => string;
}

/** The first click orders upwards, the next one downwards. */
function Heading<Row>({ column, sort = '', linkToSort }: HeadingProps<Row>) {
  const { title, sort: own } = column;
  const isOwn = own !== undefined && (sort === own || sort === `-${own}`);
  const order = isOwn ? (sort === own ? 'ascending' : 'descending') : undefined;
  return (
    <th scope="col" class={classOf(column)} aria-sort={order}>
      {own === undefined || !linkToSort ? (
        title
      ) : (
        <a href={linkToSort(sort === own ? `-${own}` : own)}>
          {title}
          <span aria-hidden="true">{order === undefined ? '' : order === 'ascending' ? ' ↑' : ' ↓'}</span>
        </a>
      )}
    </th>
  );
}

interface ChooseAllProps {
  keys: readonly string[];
  chosen: ReadonlySet<string>;
  set: (keys: ReadonlySet<string>) => void;
}

function ChooseAll({ keys, chosen, set }: ChooseAllProps) {
  const isAll = keys.length > 0 && keys.every((key) => chosen.has(key));
  return (
    <td class="choice">
      <input
        type="checkbox"
        aria-label="Choose all on this page"
        checked={isAll}
        onChange={() => set(isAll ? without(chosen, keys) : new Set([...chosen, ...keys]))}
      />
    </td>
  );
}

function without(chosen: ReadonlySet<string>, keys: readonly string[]): ReadonlySet<string> {
  return new Set([...chosen].filter((key) => !keys.includes(key)));
}

export function toggled(keys: ReadonlySet<string>, key: string): ReadonlySet<string> {
  const next = new Set(keys);
  if (!next.delete(key)) next.add(key);
  return next;
}
