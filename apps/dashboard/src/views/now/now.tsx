import { useTitle } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';
import { ATTENTION_STATES } from '../../parts/state-badge.js';
import { Attention, StateTiles } from './attention.js';
import { LastDay } from './last-day.js';
import { Readiness } from './readiness.js';
import { Running } from './running.js';
import { Upcoming } from './upcoming.js';

const POLL_MS = 5_000;
const SHOWN = 10;

/** What needs attention, then what runs, then what comes next. */
export function Now() {
  const states = useApi(
    '/api/v1/repository-states',
    { query: { state: ATTENTION_STATES, limit: SHOWN } },
    POLL_MS,
  );
  const urgent = states.data?.total ?? 0;
  useTitle(urgent === 0 ? 'Now' : `(${urgent}) Now`);
  return (
    <>
      <h1>Now</h1>
      <Readiness />
      <Attention states={states} />
      <StateTiles states={states} />
      <Running />
      <Upcoming />
      <LastDay />
    </>
  );
}
