import { useState } from 'preact/hooks';
import { type Execution, type ExecutionFile, type List } from '../api/answers.js';
import { withQuery } from '../api/api.js';
import { DataTable } from '../parts/data-table.js';
import { formatNumber } from '../parts/format.js';
import { Showing } from '../parts/notice.js';
import { useAnswer } from '../state/use-load.js';

const PAGE_SIZE = 25;
const TITLES = { failed: 'Files that failed', skipped: 'Files left out by a rule' } as const;

interface ExecutionFilesProps {
  execution: Execution;
  status: ExecutionFile['status'];
}

export function ExecutionFiles({ execution, status }: ExecutionFilesProps) {
  const [page, setPage] = useState(0);
  const files = useAnswer<List<ExecutionFile>>(
    withQuery(`api/v1/executions/${execution.id}/files`, {
      status,
      limit: PAGE_SIZE,
      offset: page * PAGE_SIZE,
    }),
  );
  return (
    <section>
      <h2>{TITLES[status]}</h2>
      <Showing of={files}>
        {({ items, total }) =>
          total === 0 ? (
            <p class="faint">{execution.completed_at === null ? 'Told when the run has ended.' : 'None.'}</p>
          ) : (
            <>
              <DataTable
                caption={TITLES[status]}
                rows={items}
                keyOf={({ path }) => path}
                columns={[
                  { title: 'File', cell: ({ path }) => <code class="breaking">{path}</code> },
                  { title: 'Why', cell: ({ error_code }) => <code>{error_code}</code> },
                  { title: 'In words', cell: ({ message }) => message ?? '–' },
                ]}
              />
              {total > PAGE_SIZE && (
                <div class="pager">
                  <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
                    Back
                  </button>
                  <span class="faint">{`${formatNumber(total)} in all`}</span>
                  <button
                    type="button"
                    disabled={(page + 1) * PAGE_SIZE >= total}
                    onClick={() => setPage(page + 1)}
                  >
                    More
                  </button>
                </div>
              )}
            </>
          )
        }
      </Showing>
    </section>
  );
}
