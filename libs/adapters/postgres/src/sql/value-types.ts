import pg from 'pg';

const NUMBERS: readonly number[] = [pg.types.builtins.INT8, pg.types.builtins.NUMERIC];

/** Returns a number, or Postgres's text where a number would lose digits. */
function numberWhereSafe(text: string): number | string {
  const value = Number(text);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? text : value;
}

/** pg reads `bigint` and `numeric` as text; counts, sizes and fences are far below 2^53. */
export const parseAsJavaScript: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary'): ((value: string) => unknown) =>
    NUMBERS.includes(oid) && format !== 'binary'
      ? numberWhereSafe
      : (pg.types.getTypeParser(oid, format) as (value: string) => unknown),
};
