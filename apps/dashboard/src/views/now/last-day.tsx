import { type Status } from '../../api/schema.js';
import { Section, Tiles } from '../../parts/elements.js';
import { formatDuration, formatPercent, localInput } from '../../parts/format.js';
import { Loadable } from '../../parts/loadable.js';
import { linkTo } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';

const POLL_MS = 30_000;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

export function LastDay() {
  // Rounded, so that the request stays the same for a minute.
  const from = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - DAY_MS);
  const summary = useApi('/api/v1/history/summary', { query: { from: from.toISOString() } }, POLL_MS);
  const runsWith = (...status: Status[]): string =>
    linkTo('history', { status: status.join(), from: localInput(from) });
  const charts = linkTo('charts', { days: '1' });
  return (
    <Section title="Last 24 hours">
      <Loadable of={summary}>
        {({ total_runs, runs, success_rate, durations: { p50_seconds, p95_seconds } }) => (
          <Tiles
            label="Last 24 hours"
            tiles={[
              ['Runs', total_runs, '', { href: runsWith() }],
              [
                'Failed',
                runs.failed,
                '',
                { href: runsWith('failed'), ...(runs.failed > 0 && { colour: 'failed' }) },
              ],
              ['Partial', runs.partial, '', { href: runsWith('partial') }],
              ['Missed', runs.missed, '', { href: runsWith('missed') }],
              ['Success rate', formatPercent(success_rate), '', { href: charts }],
              [
                'Median duration',
                formatDuration(p50_seconds),
                p95_seconds === null ? '' : `p95 ${formatDuration(p95_seconds)}`,
                { href: charts },
              ],
            ]}
          />
        )}
      </Loadable>
    </Section>
  );
}
