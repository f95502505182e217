import { Fragment, type ComponentChildren } from 'preact';
import { type Execution } from '../api/answers.js';
import { Badge } from '../parts/badge.js';
import { formatBytes, formatDuration, formatNumber, shortCommit } from '../parts/format.js';
import { Instant } from '../parts/instant.js';
import { Showing } from '../parts/notice.js';
import { Tile } from '../parts/tile.js';
import { linkTo } from '../state/route.js';
import { useAnswer } from '../state/use-load.js';
import { useRepositoryNames } from '../state/use-repository-names.js';
import { ExecutionFiles } from './execution-files.js';
import { RetryButton, RetryLinks } from './retries.js';
import { RunReportPanel } from './run-report.js';
import { RunningCard } from './running-card.js';

const POLL_MS = 5_000;

export function ExecutionDetails({ executionId }: { executionId: string }) {
  const loaded = useAnswer<Execution>(`api/v1/executions/${encodeURIComponent(executionId)}`, POLL_MS);
  const { nameOf } = useRepositoryNames();
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
            {execution.status === 'running' && (
              <ul class="cards">
                <RunningCard
                  execution={execution}
                  name={nameOf(execution.repository_id)}
                  isStreamed
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
                <ExecutionFiles key={execution.status} executionId={execution.id} status="failed" />
                <ExecutionFiles
                  key={`${execution.status} skipped`}
                  executionId={execution.id}
                  status="skipped"
                />
              </>
            )}
          </>
        )}
      </Showing>
    </>
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

function DurationTile({ execution: { duration_seconds, rate_limited_seconds } }: { execution: Execution }) {
  const waits = rate_limited_seconds === 0 ? 'none' : formatDuration(rate_limited_seconds);
  return (
    <Tile label="Duration" value={formatDuration(duration_seconds)} note={`waits for limits: ${waits}`} />
  );
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
    ['Tick', <Instant at={execution.scheduled_for} absent="none: not by a schedule" />],
    ['Queued', <Instant at={execution.queued_at} />],
    ['Started', <Instant at={execution.started_at} absent="not yet" />],
    ['Ended', <Instant at={execution.completed_at} absent="not yet" />],
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
