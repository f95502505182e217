import { type ComponentChildren } from 'preact';
import { type Schemas } from '../../api/schema.js';
import { Instant } from '../../parts/elements.js';

/** The state of a repository in a sentence, with what to do about it. */
export function stateSentence(state: Schemas['RepositoryStateDto']): ComponentChildren {
  const { reason, remedy, last_sync_at, next_run_at, schedule_count, live_status } = state;
  return (
    <>
      {live_status === 'running' && 'A run is in progress. '}
      {reason ?? (
        <>
          The index equals the branch as of <Instant at={last_sync_at} />.
        </>
      )}{' '}
      {remedy !== null && <strong>{remedy}</strong>}{' '}
      {state.state === 'retrying' || state.state === 'waiting' ? (
        <>
          It starts again <Instant at={state.until} absent="when a worker is free" />.
        </>
      ) : next_run_at === null ? (
        schedule_count === 0 ? (
          'It has no schedule: it runs on request and on pushes.'
        ) : (
          'Its schedules are paused.'
        )
      ) : (
        <>
          The next run is <Instant at={next_run_at} />.
        </>
      )}
    </>
  );
}
