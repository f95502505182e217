import { type Schemas } from '../../api/schema.js';
import { type Column } from '../../parts/data-table.js';
import { Badge, Instant } from '../../parts/elements.js';
import { formatBytes, formatDuration, formatNumber } from '../../parts/format.js';
import { nameOf } from '../../parts/repository-field.js';
import { StateBadge } from '../../parts/state-badge.js';
import { linkTo } from '../../state/route.js';
import { StateActions } from './state-actions.js';

type State = Schemas['RepositoryStateDto'];

export function columnsFor(onDone: () => void): Column<State>[] {
  return [
    {
      title: 'Repository',
      sort: 'project_path',
      cell: (state) => (
        <>
          <a href={linkTo(`repositories/${state.repository_id}`)}>{nameOf(state)}</a>
          {state.reason !== null && <div class="reason">{state.reason}</div>}
        </>
      ),
    },
    { title: 'State', sort: 'state', cell: ({ state }) => <StateBadge state={state} /> },
    { title: 'Synced', sort: 'last_sync_at', cell: ({ last_sync_at }) => <Instant at={last_sync_at} /> },
    {
      title: 'Next run',
      sort: 'next_run_at',
      isExtra: true,
      cell: ({ next_run_at, schedule_count }) => (
        <Instant at={next_run_at} absent={schedule_count === 0 ? 'no schedule' : 'paused'} />
      ),
    },
    {
      title: 'Last outcome',
      sort: 'last_ended_at',
      isExtra: true,
      cell: (state) => <LastOutcome state={state} />,
    },
    {
      title: 'Size',
      sort: 'chunk_count',
      isNumber: true,
      isExtra: true,
      cell: ({ chunk_count, file_count, indexed_file_count, size_bytes }) => (
        <span title={`${formatNumber(indexed_file_count)} of ${formatNumber(file_count)} files are indexed`}>
          {formatNumber(chunk_count)} chunks
          <br />
          <span class="faint">
            {formatNumber(file_count)} files, {formatBytes(size_bytes)}
          </span>
        </span>
      ),
    },
    { title: 'Action', isExtra: true, cell: (state) => <StateActions state={state} onDone={onDone} /> },
  ];
}

function LastOutcome({ state }: { state: State }) {
  const { last_execution_id, last_status, last_ended_at, last_duration_seconds } = state;
  if (last_execution_id === null || last_status === null) return <span class="faint">none</span>;
  return (
    <>
      <a
        href={linkTo(`history/${last_execution_id}`)}
        aria-label={`Last run of ${nameOf(state)}: ${last_status}`}
      >
        <Badge status={last_status} />
      </a>{' '}
      <Instant at={last_ended_at} />
      <span class="faint"> took {formatDuration(last_duration_seconds)}</span>
    </>
  );
}
