export interface Series {
  name: string;
  /** Of the colours in style/tables-and-charts.css: `fill-<colour>`. */
  colour: string;
}

export interface Bar {
  /** Below the bar. */
  label: string;
  /** For the table and on hover; the label where it is not given. */
  fullLabel?: string;
  /** One for each series, stacked; null: nothing is known, which is not 0. */
  values: readonly (number | null)[];
}
