import { formatNumber } from './format.js';

interface PagerProps {
  /** From 0. */
  page: number;
  pageSize: number;
  total: number;
  linkToPage: (page: number) => string;
}

export function Pager({ page, pageSize, total, linkToPage }: PagerProps) {
  const first = page * pageSize + 1;
  const last = Math.min(total, first + pageSize - 1);
  return (
    <nav class="pager" aria-label="Pages">
      {page > 0 && <a href={linkToPage(page - 1)}>← Newer</a>}
      <span class="faint">{`${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`}</span>
      {last < total && <a href={linkToPage(page + 1)}>Older →</a>}
    </nav>
  );
}
