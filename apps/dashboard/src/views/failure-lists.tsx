import { type FailureBreakdown, type FailureCounts } from '../api/answers.js';
import { type Column, DataTable } from '../parts/data-table.js';
import { formatNumber } from '../parts/format.js';
import { linkTo } from '../state/route.js';

const COUNTS = (['failed', 'partial', 'missed'] as const).map((name): Column<FailureCounts> => ({
  title: name,
  isNumber: true,
  cell: (counts) => formatNumber(counts[name]),
}));

export function FailureLists({ failures }: { failures: FailureBreakdown }) {
  if (failures.total.failures === 0) return null;
  return (
    <div class="chart-grid">
      <section class="panel">
        <h2>Failures by reason</h2>
        <DataTable
          caption="Failures by reason"
          rows={failures.by_error_code}
          keyOf={({ error_code }) => error_code ?? ''}
          columns={[
            { title: 'Reason', cell: ({ error_code }) => <code>{error_code ?? 'none'}</code> },
            ...COUNTS,
          ]}
        />
      </section>
      <section class="panel">
        <h2>Failures by repository</h2>
        <DataTable
          caption="Failures by repository"
          rows={failures.by_repository}
          keyOf={({ repository_id }) => repository_id}
          columns={[
            {
              title: 'Repository',
              cell: ({ repository_id, project_path, branch }) => (
                <a href={linkTo('history', { repository: repository_id })}>
                  {project_path} @ {branch}
                </a>
              ),
            },
            ...COUNTS,
          ]}
        />
      </section>
    </div>
  );
}
