import { type ComponentChildren } from 'preact';
import { type ApiFailure } from '../api/api.js';
import { type Loaded } from '../state/use-load.js';
import { DataTable, type DataTableProps } from './data-table.js';
import { formatNumber } from './format.js';

/** Shows loaded data, a note while it loads, and a failure: alone, or above data that may be out of date. */
export function Loadable<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  const { data, failure, reload, isFormer = false } = of;
  return (
    <>
      {failure && <FailureNotice failure={failure} isStale={data !== null} onRetry={reload} />}
      {data !== null && children(data)}
      {(isFormer || (data === null && !failure)) && (
        <p class={isFormer ? 'hidden' : 'faint'} aria-busy="true">
          Loading…
        </p>
      )}
    </>
  );
}

interface ListProps<T> {
  of: Loaded<{ items: readonly T[]; total: number }>;
  /** Shown when the list is empty. */
  empty: ComponentChildren;
  /** Without a pager, the list ends with the number of entries that are not shown. */
  pager?: Omit<PagerProps, 'total'> | undefined;
  /** Address of the whole list, for a part of it. */
  all?: string | undefined;
}

interface LoadableListProps<T> extends ListProps<T> {
  children: (items: readonly T[]) => ComponentChildren;
}

export function LoadableList<T>({ of, empty, pager, all, children }: LoadableListProps<T>) {
  return (
    <Loadable of={of}>
      {({ items, total }) => (
        <>
          {total === 0 ? typeof empty === 'string' ? <p class="faint">{empty}</p> : empty : children(items)}
          {pager && total > 0 && <Pager {...pager} total={total} />}
          {!pager && total > items.length && (
            <p class="faint">
              {all === undefined ? (
                `${formatNumber(total - items.length)} more not shown.`
              ) : (
                <a href={all}>{`All ${formatNumber(total)}`}</a>
              )}
            </p>
          )}
        </>
      )}
    </Loadable>
  );
}

/** A list as a table. */
export function LoadableTable<T>({ of, empty, ...rest }: ListProps<T> & Omit<DataTableProps<T>, 'rows'>) {
  const { pager, all, ...table } = rest;
  return (
    <LoadableList {...{ of, empty, pager, all }}>
      {(items) => <DataTable {...table} rows={items} />}
    </LoadableList>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p>
        <strong>{title}</strong>
      </p>
      {children && <p>{children}</p>}
    </div>
  );
}

interface FailureNoticeProps {
  failure: ApiFailure;
  /** Uses a single line, because a page may show several. */
  isStale: boolean;
  onRetry: () => void;
}

function FailureNotice({ failure, isStale, onRetry }: FailureNoticeProps) {
  const { message, code, requestId } = failure;
  return (
    <div class={`notice notice-bad ${isStale ? 'notice-aside' : ''}`} role="alert">
      <p>
        <strong>{titleOf(failure)}</strong> {message} {isStale && 'The data below may be out of date.'}
      </p>
      {!isStale && (
        <p class="faint">
          <code>{code}</code> {requestId !== null && <code>{`request ${requestId}`}</code>}
        </p>
      )}
      <button type="button" onClick={onRetry}>
        Try again
      </button>
    </div>
  );
}

function titleOf({ status }: ApiFailure): string {
  if (status === 0) return 'No response.';
  if (status === 403) return 'Permission denied.';
  if (status === 404) return 'Not found.';
  return status >= 500 ? 'Server error.' : 'Request rejected.';
}

interface PagerProps {
  /** From 0. */
  page: number;
  pageSize: number;
  total: number;
  linkToPage: (page: number) => string;
  /** Texts of the links to the previous and the next page. */
  names?: readonly [string, string];
}

function Pager({ page, pageSize, total, linkToPage, names = ['Previous', 'Next'] }: PagerProps) {
  const first = page * pageSize + 1;
  const last = Math.min(total, first + pageSize - 1);
  if (first > total) {
    return (
      <nav class="pager" aria-label="Pages">
        <span>{`This page is empty: there are only ${formatNumber(total)} entries.`}</span>
        <a href={linkToPage(0)}>Go to the first page</a>
      </nav>
    );
  }
  return (
    <nav class="pager" aria-label="Pages">
      {page > 0 && <a href={linkToPage(page - 1)}>{`← ${names[0]}`}</a>}
      <span class="faint">{`${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(total)}`}</span>
      {last < total && <a href={linkToPage(page + 1)}>{`${names[1]} →`}</a>}
    </nav>
  );
}
