import { type Execution, type Schemas } from '../api/schema.js';
import { BarChart } from '../charts/bar-chart.js';
import { DataTable, type Column } from '../parts/data-table.js';
import { STATUSES } from '../parts/elements.js';
import { formatDuration, formatInstant, formatNumber, formatPercent, localInput } from '../parts/format.js';
import { linkTo } from '../state/route.js';

type Bucket = Schemas['TimelineBucketDto'];
type Timeline = Schemas['TimelineDto'];
type Failures = Schemas['FailureBreakdownDto'];

const DAY_MS = 86_400_000;
const OUTCOMES = STATUSES.filter((status) => status !== 'queued' && status !== 'running');
const SUCCEEDED = { name: 'succeeded', colour: 'plain' };
const FAILED = { name: 'failed', colour: 'failed' };
const STORED = { name: 'stored', colour: 'plain' };
const DELETED = { name: 'deleted', colour: 'cancelled' };
const FAILURES = ['failed', 'partial', 'missed'] as const;

interface ChartGridProps {
  /** Limits the lists that bars link to. */
  repository: string | undefined;
  timeline: Timeline;
  failures: Failures;
  /** Newest first. */
  runs: Execution[];
}

export function ChartGrid({ repository, timeline, failures, runs }: ChartGridProps) {
  const { buckets, bucket } = timeline;
  const total = (count: (bucket: Bucket) => number): string =>
    formatNumber(buckets.reduce((sum, each) => sum + count(each), 0));
  const bars = (values: (bucket: Bucket) => (number | null)[]) =>
    buckets.map((each) => ({
      ...labelsOf(each, timeline),
      href: linkTo('history', { repository, ...rangeOf(each, timeline) }),
      values: values(each),
    }));
  const worst = failures.by_hour.reduce((most, hour) => (hour.failures > most.failures ? hour : most));
  const axis = { hour: 'Hour', day: 'Day', week: 'Week' }[bucket];
  return (
    <div class="chart-grid">
      <BarChart
        title="Runs by outcome"
        summary={`${total((each) => each.runs.completed)} completed, ${total((each) => each.runs.failed)} failed.`}
        axis={axis}
        series={OUTCOMES.map((name) => ({ name, colour: name }))}
        bars={bars((each) => OUTCOMES.map((outcome) => each.runs[outcome]))}
      />
      <BarChart
        title="Success rate"
        summary="The share of completed runs among completed, partial and failed runs."
        axis={axis}
        series={[{ name: 'success rate', colour: 'completed' }]}
        bars={bars((each) => [successRate(each.runs)])}
        format={formatPercent}
        formatAxis={(share) => `${share * 100} %`}
        top={1}
      />
      <BarChart
        title={`Duration of the last ${runs.length} runs`}
        summary={`The latest run took ${formatDuration(runs[0]?.duration_seconds ?? null)}.`}
        axis="Run"
        series={[{ name: 'duration', colour: 'plain' }]}
        bars={durationBars(runs.toReversed())}
        format={formatDuration}
        formatAxis={(seconds) => formatDuration(seconds).replace('.0', '')}
      />
      <BarChart
        title="Failures by hour of the day"
        summary={
          worst.failures === 0 ? 'No failures.' : `Most at ${worst.hour}:00: ${formatNumber(worst.failures)}.`
        }
        axis="Hour"
        series={FAILURES.map((name) => ({ name, colour: name }))}
        bars={failures.by_hour.map((counts) => ({
          label: String(counts.hour),
          fullLabel: `${counts.hour}:00`,
          values: FAILURES.map((name) => counts[name]),
        }))}
      />
      <BarChart
        title="Files"
        summary={`${total(({ totals }) => totals.files_processed)} processed, ${total(({ totals }) => totals.files_failed)} failed.`}
        axis={axis}
        series={[SUCCEEDED, FAILED]}
        bars={bars(({ totals }) => [totals.files_processed - totals.files_failed, totals.files_failed])}
      />
      <BarChart
        title="Chunks"
        summary={`${total(({ totals }) => totals.chunks_upserted)} stored, ${total(({ totals }) => totals.chunks_deleted)} deleted.`}
        axis={axis}
        series={[STORED, DELETED]}
        bars={bars(({ totals }) => [totals.chunks_upserted, totals.chunks_deleted])}
      />
    </div>
  );
}

function successRate({ completed, partial, failed }: Bucket['runs']): number | null {
  const counted = completed + partial + failed;
  return counted === 0 ? null : completed / counted;
}

function labelsOf({ start }: Bucket, { bucket }: Timeline): { label: string; fullLabel: string } {
  const at = new Date(start);
  const label = bucket === 'hour' ? timeOf(at) : dayOf(at);
  const date = at.toLocaleDateString('en-GB', { dateStyle: 'medium' });
  return { label, fullLabel: { hour: `${date}, ${label}`, day: date, week: `week of ${date}` }[bucket] };
}

const BUCKET_MS = { hour: DAY_MS / 24, day: DAY_MS, week: 7 * DAY_MS } as const;

/** The filters of the history for a bar. */
function rangeOf({ start }: Bucket, { bucket }: Timeline): { from: string; to: string } {
  const from = new Date(start);
  return { from: localInput(from), to: localInput(new Date(from.getTime() + BUCKET_MS[bucket])) };
}

/** @param runs oldest first; within two days, labels show the time of day. */
function durationBars(runs: readonly Execution[]) {
  const [first, last] = [runs[0], runs.at(-1)];
  const spanMs = first && last ? Date.parse(last.queued_at) - Date.parse(first.queued_at) : 0;
  return runs.map(({ id, queued_at, status, duration_seconds }) => ({
    label: (spanMs < 2 * DAY_MS ? timeOf : dayOf)(new Date(queued_at)),
    fullLabel: `${formatInstant(queued_at)}, ${status}`,
    href: linkTo(`history/${id}`),
    values: [duration_seconds],
  }));
}

const timeOf = (at: Date) => at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
const dayOf = (at: Date) => at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });

export function FailureTables({ failures }: { failures: Failures }) {
  if (failures.total.failures === 0) return null;
  return (
    <div class="chart-grid">
      <FailureTable
        title="Failures by error code"
        rows={failures.by_error_code}
        keyOf={({ error_code }) => error_code ?? ''}
        first={{ title: 'Error code', cell: ({ error_code }) => <code>{error_code ?? 'none'}</code> }}
      />
      <FailureTable
        title="Failures by repository"
        rows={failures.by_repository}
        keyOf={({ repository_id }) => repository_id}
        first={{
          title: 'Repository',
          cell: ({ repository_id, project_path, branch }) => (
            <a href={linkTo('history', { repository: repository_id })}>{`${project_path} @ ${branch}`}</a>
          ),
        }}
      />
    </div>
  );
}

interface FailureTableProps<Row> {
  title: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  first: Column<Row>;
}

function FailureTable<Row extends Schemas['FailureCountsDto']>({
  title,
  first,
  ...rows
}: FailureTableProps<Row>) {
  const counts = FAILURES.map((name) => ({ title: name, isNumber: true, cell: (row: Row) => row[name] }));
  return (
    <section class="panel">
      <h2>{title}</h2>
      <DataTable caption={title} {...rows} columns={[first, ...counts]} />
    </section>
  );
}
