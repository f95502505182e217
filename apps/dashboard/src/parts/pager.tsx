import { formatNumber } from './format.js';

interface PagerProps {
  /** From 0. */
  page: number;
  pageSize: number;
  total: number;
  linkToPage: (page: number) => string;
  /** What the links backwards and forwards are called. */
  names?: readonly [string, string];
}

export function Pager({
  page,
  pageSize,
  total,
  linkToPage,
  names: [back, forth] = ['Back', 'More'],
}: PagerProps) {
  const first = page * pageSize + 1;
  const last = Math.min(total, first + pageSize - 1);
  if (first > total) {
    return (
      <nav class="pager" aria-label="Pages">
        <span>{`There are ${formatNumber(total)} only, so nothing is left for this page.`}</span>
        <a href={linkToPage(0)}>To the first page</a>
      </nav>
    );
  }
  return (
    <nav class="pager" aria-label="Pages">
      {page > 0 && <a href={linkToPage(page - 1)}>{`← ${back}`}</a>}
      <span class="faint">{`${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`}</span>
      {last < total && <a href={linkToPage(page + 1)}>{`${forth} →`}</a>}
    </nav>
  );
}
