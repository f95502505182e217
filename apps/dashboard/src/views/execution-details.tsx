import { Fragment, type ComponentChildren } from 'preact';
import { type Execution } from '../api/answers.js';
import { Badge } from '../parts/badge.js';
import { formatBytes, formatDuration, formatNumber, shortCommit } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { Showing } from '../parts/notice.js';
import { Tile } from '../parts/tile.js';
import { linkTo } from '../state/route.js';
import { useTitle } from '../state/use-title.js';
import { useAnswer } from '../state/use-load.js';
import { useRepositoryNames } from '../state/use-repository-names.js';
import { CancelButton } from './cancel-button.js';
import { ExecutionFiles } from './execution-files.js';
import { RetryButton, RetryLinks } from './retries.js';
import { RunReportPanel } from './run-report.js';
import { RunningCard } from './running-card.js';

const POLL_MS = 5_000;

export function ExecutionDetails({ executionId }: { executionId: string }) {
  const loaded = useAnswer<Execution>(`api/v1/executions/${encodeURIComponent(executionId)}`, POLL_MS);
  const { nameOf } = useRepositoryNames(loaded.data ? [loaded.data.repository_id] : []);
  useTitle(loaded.data ? `${loaded.data.status}: ${nameOf(loaded.data.repository_id)}` : 'Run');
  return (
    <>
      <p>
        <a href={linkTo('history')}>← History</a>
      </p>
      <Showing of={loaded}>
        {(execution) => (
          <>
            <div class="row between">
              <h1>
                {nameOf(execution.repository_id)} <Badge status={execution.status} />
              </h1>
              <RetryButton
                execution={execution}
                name={nameOf(execution.repository_id)}
                onDone={loaded.reload}
              />
            </div>
            {execution.status === 'queued' && (
              <Waiting execution={execution} name={nameOf(execution.repository_id)} onDone={loaded.reload} />
            )}
            {execution.status === 'running' && (
              <ul class="cards">
                <RunningCard
                  execution={execution}
                  name={nameOf(execution.repository_id)}
                  isStreamed
                  isOwnPage
                  onChange={loaded.reload}
                />
              </ul>
            )}
            {execution.error_code !== null && (
              <div class="notice notice-bad">
                <p>
                  <strong>
                    <code>{execution.error_code}</code>
                  </strong>{' '}
                  {execution.error_message}
                </p>
              </div>
            )}
            {execution.report && <RunReportPanel report={execution.report} />}
            {onlyLooks(execution) ? <Costs execution={execution} /> : <Counters execution={execution} />}
            <Circumstances execution={execution} />
            {!onlyLooks(execution) && (
              <>
                <ExecutionFiles key={execution.status} execution={execution} status="failed" />
                <ExecutionFiles key={`${execution.status} skipped`} execution={execution} status="skipped" />
              </>
            )}
          </>
        )}
      </Showing>
    </>
  );
}

function Waiting(props: { execution: Execution; name: string; onDone: () => void }) {
  const { available_at } = props.execution;
  return (
    <div class="panel row between">
      <p>
        {available_at === null ? (
          'It waits for its turn.'
        ) : (
          <>
            Its last attempt failed; it is tried again <Instant at={available_at} />.
          </>
        )}
      </p>
      <CancelButton {...props} />
    </div>
  );
}

/** What it found stands in its report; of files and chunks there is nothing to count. */
function onlyLooks({ handler }: Execution): boolean {
  return handler === 'dry_run' || handler === 'verify';
}

function Costs({ execution }: { execution: Execution }) {
  return (
    <dl class="tiles" aria-label="What it took">
      <DurationTile execution={execution} />
      <RequestsTile execution={execution} />
    </dl>
  );
}

function Counters({ execution }: { execution: Execution }) {
  const { files_added, files_modified, files_renamed, files_deleted, files_skipped, files_failed } =
    execution;
  return (
    <dl class="tiles" aria-label="What it did">
      <DurationTile execution={execution} />
      <Tile
        label="Files looked at"
        value={formatNumber(execution.files_processed)}
        note={`${formatNumber(files_added)} added, ${formatNumber(files_modified)} modified, ${formatNumber(files_renamed)} renamed, ${formatNumber(files_deleted)} deleted`}
      />
      <Tile
        label="Not indexed"
        value={formatNumber(files_skipped + files_failed)}
        note={`${formatNumber(files_skipped)} by a rule, ${formatNumber(files_failed)} failed`}
      />
      <Tile
        label="Chunks stored"
        value={formatNumber(execution.chunks_upserted)}
        note={`${formatNumber(execution.chunks_deleted)} removed`}
      />
      <Tile
        label="Embeddings made"
        value={formatNumber(execution.embeddings_requested)}
        note={`${formatNumber(execution.embeddings_reused)} reused`}
      />
      <RequestsTile execution={execution} />
    </dl>
  );
}

function DurationTile({ execution }: { execution: Execution }) {
  const { status, started_at, duration_seconds, rate_limited_seconds } = execution;
  const waits = rate_limited_seconds === 0 ? 'none' : formatDuration(rate_limited_seconds);
  const isRunning = status === 'running' && started_at !== null;
  return (
    <Tile
      label={isRunning ? 'Running for' : 'Duration'}
      value={formatDuration(isRunning ? secondsSince(started_at) : duration_seconds)}
      note={`waits for limits: ${waits}`}
    />
  );
}

/** By the clock of the reader's machine, which may be behind. */
function secondsSince(instant: string): number {
  return Math.max(0, Math.round((Date.now() - Date.parse(instant)) / 1000));
}

function RequestsTile({
  execution: { source_requests, bytes_fetched, source_retries },
}: {
  execution: Execution;
}) {
  return (
    <Tile
      label="Requests to the source"
      value={formatNumber(source_requests)}
      note={`${formatBytes(bytes_fetched)}, ${formatNumber(source_retries)} repeated`}
    />
  );
}

function Circumstances({ execution }: { execution: Execution }) {
  const facts: [string, ComponentChildren][] = [
    [
      'Asked for by',
      `${execution.trigger}${execution.requested_by === null ? '' : `, ${execution.requested_by}`}`,
    ],
    ['Kind', `${execution.handler.replace('_', ' ')}${execution.full_sync ? ', full' : ''}`],
    ['Tick', <Instant isExact at={execution.scheduled_for} absent="none: not by a schedule" />],
    ['Queued', <Instant isExact at={execution.queued_at} />],
    ['Started', <Instant isExact at={execution.started_at} absent="not yet" />],
    ['Ended', <Instant isExact at={execution.completed_at} absent="not yet" />],
    ['Pod', execution.pod_name ?? '–'],
    ['Attempt', formatNumber(execution.attempt)],
    ['Retry', <RetryLinks execution={execution} />],
    ['Ticks folded in', formatNumber(execution.coalesced_count)],
    [
      'Commits',
      <>
        <code title={execution.from_commit ?? ''}>{shortCommit(execution.from_commit)}</code> →{' '}
        <code title={execution.to_commit ?? ''}>{shortCommit(execution.to_commit)}</code>
      </>,
    ],
    ['Id', <code class="breaking">{execution.id}</code>],
  ];
  return (
    <dl class="panel facts in-two">
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
