import { Fragment } from 'preact';
import { type Execution, type Schemas } from '../../api/schema.js';
import { Badge, Commit, Facts, Instant, Section, Tiles, type Tile } from '../../parts/elements.js';
import { formatBytes, formatDuration, formatNumber } from '../../parts/format.js';
import { Loadable, LoadableTable } from '../../parts/loadable.js';
import { nameOf } from '../../parts/repository-field.js';
import { linkTo, pageOf, useTitle } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';
import { CancelButton, RetryButton, RetryLinks, type ExecutionProps } from './execution-actions.js';
import { RunReport } from './run-report.js';
import { RunningCard } from './running-card.js';

const POLL_MS = 5_000;
const PAGE_SIZE = 25;

type Query = Record<string, string>;

export function ExecutionDetails({ executionId, query }: { executionId: string; query: Query }) {
  const loaded = useApi('/api/v1/executions/{id}', { path: { id: executionId } }, POLL_MS);
  useTitle(loaded.data ? `${loaded.data.status}: ${nameOf(loaded.data)}` : 'Run');
  return (
    <>
      <p>
        <a href={linkTo('history')}>← History</a>
      </p>
      <Loadable of={loaded}>
        {(execution) => (
          <Details execution={execution} name={nameOf(execution)} onDone={loaded.reload} query={query} />
        )}
      </Loadable>
    </>
  );
}

function Details({ query, ...props }: ExecutionProps & { query: Query }) {
  const { execution, name, onDone } = props;
  const { status, handler, error_code, error_message, report } = execution;
  // Read-only runs have a report instead of counters and files.
  const isReadOnly = handler === 'dry_run' || handler === 'verify';
  return (
    <>
      <div class="row between">
        <h1>
          {name} <Badge status={status} />
        </h1>
        <RetryButton {...props} />
      </div>
      {status === 'queued' && <Waiting {...props} />}
      {status === 'running' && (
        <ul class="cards">
          <RunningCard execution={execution} name={name} isStreamed isOwnPage onChange={onDone} />
        </ul>
      )}
      {error_code !== null && (
        <p class={`notice ${status === 'completed' ? 'notice-good' : 'notice-bad'}`}>
          <strong>
            <code>{error_code}</code>
          </strong>{' '}
          {error_message}
        </p>
      )}
      {report && <RunReport report={report} />}
      <Tiles label="Results" tiles={isReadOnly ? costsOf(execution) : countersOf(execution)} />
      <ExecutionFacts execution={execution} />
      {!isReadOnly && (
        // The key loads the files again when the run ends.
        <Fragment key={status}>
          <Files title="Failed files" status="failed" execution={execution} query={query} />
          <Files title="Skipped files" status="skipped" execution={execution} query={query} />
        </Fragment>
      )}
    </>
  );
}

function Waiting(props: ExecutionProps) {
  const { available_at } = props.execution;
  return (
    <div class="panel row between">
      <p>
        {available_at === null ? (
          'Waiting for a free worker.'
        ) : (
          <>
            The last attempt failed. Next attempt <Instant at={available_at} />.
          </>
        )}
      </p>
      <CancelButton {...props} />
    </div>
  );
}

function costsOf(execution: Execution): Tile[] {
  const { status, started_at, duration_seconds, rate_limited_seconds } = execution;
  const waits = rate_limited_seconds === 0 ? 'none' : formatDuration(rate_limited_seconds);
  const isRunning = status === 'running' && started_at !== null;
  return [
    [
      isRunning ? 'Running for' : 'Duration',
      formatDuration(isRunning ? secondsSince(started_at) : duration_seconds),
      `rate-limit waits: ${waits}`,
    ],
    [
      'Source requests',
      execution.source_requests,
      `${formatBytes(execution.bytes_fetched)}, ${formatNumber(execution.source_retries)} retried`,
    ],
  ];
}

/** Never negative: the clock of the user's machine may be behind. */
function secondsSince(instant: string): number {
  return Math.max(0, Math.round((Date.now() - Date.parse(instant)) / 1000));
}

function countersOf(execution: Execution): Tile[] {
  const [duration, requests] = costsOf(execution) as [Tile, Tile];
  const count = (name: keyof Execution): string => formatNumber(execution[name] as number);
  return [
    duration,
    [
      'Files processed',
      execution.files_processed,
      `${count('files_added')} added, ${count('files_modified')} modified, ${count('files_renamed')} renamed, ${count('files_deleted')} deleted`,
    ],
    [
      'Not indexed',
      execution.files_skipped + execution.files_failed,
      `${count('files_skipped')} skipped, ${count('files_failed')} failed`,
    ],
    ['Chunks stored', execution.chunks_upserted, `${count('chunks_deleted')} deleted`],
    ['New embeddings', execution.embeddings_requested, `${count('embeddings_reused')} reused`],
    requests,
  ];
}

function ExecutionFacts({ execution }: { execution: Execution }) {
  const { trigger, requested_by, handler, full_sync } = execution;
  return (
    <Facts
      class="panel in-two"
      facts={[
        ['Triggered by', requested_by === null ? trigger : `${trigger}, ${requested_by}`],
        ['Type', `${handler.replace('_', ' ')}${full_sync ? ', full' : ''}`],
        ['Scheduled for', <Instant isExact at={execution.scheduled_for} absent="not scheduled" />],
        ['Queued', <Instant isExact at={execution.queued_at} />],
        ['Started', <Instant isExact at={execution.started_at} absent="not yet" />],
        ['Ended', <Instant isExact at={execution.completed_at} absent="not yet" />],
        ['Pod', execution.pod_name ?? '–'],
        ['Attempt', formatNumber(execution.attempt)],
        ['Retries', <RetryLinks execution={execution} />],
        ['Coalesced ticks', formatNumber(execution.coalesced_count)],
        [
          'Commits',
          <>
            <Commit id={execution.from_commit} /> → <Commit id={execution.to_commit} />
          </>,
        ],
        ['ID', <code class="breaking">{execution.id}</code>],
      ]}
    />
  );
}

interface FilesProps {
  title: string;
  status: Schemas['ExecutionFileStatus'];
  execution: Execution;
  query: Query;
}

/** The URL's parameter `failed` or `skipped` holds the page. */
function Files({ title, status, execution: { id, completed_at }, query }: FilesProps) {
  const page = pageOf(query[status]);
  const isLive = completed_at === null;
  const files = useApi(
    '/api/v1/executions/{id}/files',
    { path: { id }, query: { status, limit: PAGE_SIZE, offset: page * PAGE_SIZE } },
    isLive ? POLL_MS : null,
  );
  const linkToPage = (to: number): string => linkTo(`history/${id}`, { ...query, [status]: to });
  return (
    <Section title={title}>
      <LoadableTable
        of={files}
        empty={isLive ? 'None so far.' : 'None.'}
        pager={{ page, pageSize: PAGE_SIZE, linkToPage }}
        caption={title}
        keyOf={({ path }) => path}
        columns={[
          { title: 'File', cell: ({ path }) => <code class="breaking">{path}</code> },
          { title: 'Reason', cell: ({ error_code }) => <code>{error_code}</code> },
          { title: 'Message', cell: ({ message }) => message },
        ]}
      />
    </Section>
  );
}
