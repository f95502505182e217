import { OUTCOMES, type Execution, type Timeline, type TimelineBucket } from '../api/answers.js';
import { BarChart } from '../charts/bar-chart.js';
import { formatDuration, formatInstant, formatNumber, formatPercent } from '../parts/format.js';
import { type Past } from './past.js';

const DAY_MS = 86_400_000;

export function ChartGrid({ past: { timeline, failures, runs } }: { past: Past }) {
  const { buckets } = timeline;
  const total = (count: (bucket: TimelineBucket) => number): string =>
    formatNumber(buckets.reduce((sum, bucket) => sum + count(bucket), 0));
  const bars = (values: (bucket: TimelineBucket) => (number | null)[]) =>
    buckets.map((bucket) => ({ ...labelsOf(bucket, timeline), values: values(bucket) }));
  const worst = failures.by_hour.reduce((most, hour) => (hour.failures > most.failures ? hour : most));
  return (
    <div class="chart-grid">
      <BarChart
        title="Runs by outcome"
        summary={`${total(({ runs: { completed } }) => completed)} completed, ${total(({ runs: { failed } }) => failed)} failed.`}
        axis={`By ${timeline.bucket}`}
        series={OUTCOMES.map((name) => ({ name, colour: name }))}
        bars={bars((bucket) => OUTCOMES.map((outcome) => bucket.runs[outcome]))}
      />
      <BarChart
        title="Success rate"
        summary="Completed runs among completed, partial and failed ones."
        axis={`By ${timeline.bucket}`}
        series={[{ name: 'success rate', colour: 'completed' }]}
        bars={bars(({ runs: outcomes }) => [successRate(outcomes)])}
        format={formatPercent}
        formatAxis={(share) => `${share * 100} %`}
        top={1}
      />
      <BarChart
        title={`Duration of the last ${runs.length} runs`}
        summary={`The newest took ${formatDuration(runs[0]?.duration_seconds ?? null)}.`}
        axis="Run"
        series={[{ name: 'duration', colour: 'plain' }]}
        bars={durationBars(runs.toReversed())}
        format={formatDuration}
        formatAxis={(seconds) => formatDuration(seconds).replace('.0', '')}
      />
      <BarChart
        title="Failures by hour of the day"
        summary={
          worst.failures === 0
            ? 'There were none.'
            : `Most at ${worst.hour}:00: ${formatNumber(worst.failures)}.`
        }
        axis="Hour"
        series={(['failed', 'partial', 'missed'] as const).map((name) => ({ name, colour: name }))}
        bars={failures.by_hour.map(({ hour, failed, partial, missed }) => ({
          label: String(hour),
          fullLabel: `${hour}:00`,
          values: [failed, partial, missed],
        }))}
      />
      <BarChart
        title="Files"
        summary={`${total(({ totals }) => totals.files_processed)} looked at, ${total(({ totals }) => totals.files_failed)} failed.`}
        axis={`By ${timeline.bucket}`}
        series={[
          { name: 'looked at', colour: 'plain' },
          { name: 'failed', colour: 'failed' },
        ]}
        bars={bars(({ totals }) => [totals.files_processed - totals.files_failed, totals.files_failed])}
      />
      <BarChart
        title="Chunks"
        summary={`${total(({ totals }) => totals.chunks_upserted)} stored, ${total(({ totals }) => totals.chunks_deleted)} removed.`}
        axis={`By ${timeline.bucket}`}
        series={[
          { name: 'stored', colour: 'plain' },
          { name: 'removed', colour: 'cancelled' },
        ]}
        bars={bars(({ totals }) => [totals.chunks_upserted, totals.chunks_deleted])}
      />
    </div>
  );
}

function successRate({ completed, partial, failed }: TimelineBucket['runs']): number | null {
  const judged = completed + partial + failed;
  return judged === 0 ? null : completed / judged;
}

function labelsOf({ start }: TimelineBucket, { bucket }: Timeline): { label: string; fullLabel: string } {
  const at = new Date(start);
  const label =
    bucket === 'hour'
      ? at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
      : at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  const date = at.toLocaleDateString('en-GB', { dateStyle: 'medium' });
  return { label, fullLabel: bucket === 'hour' ? `${date}, ${label}` : `${bucket} of ${date}` };
}

/** @param runs oldest first; within two days it is the hour that tells them apart. */
function durationBars(runs: readonly Execution[]) {
  const [first, last] = [runs[0], runs.at(-1)];
  const spanMs = first && last ? Date.parse(last.queued_at) - Date.parse(first.queued_at) : 0;
  const label = (at: Date): string =>
    spanMs < 2 * DAY_MS
      ? at.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
      : at.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' });
  return runs.map(({ queued_at, status, duration_seconds }) => ({
    label: label(new Date(queued_at)),
    fullLabel: `${formatInstant(queued_at)}, ${status}`,
    values: [duration_seconds],
  }));
}
