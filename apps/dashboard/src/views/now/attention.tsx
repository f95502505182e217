import { type Schemas } from '../../api/schema.js';
import { Instant, Section, Tiles } from '../../parts/elements.js';
import { formatNumber } from '../../parts/format.js';
import { Loadable } from '../../parts/loadable.js';
import { ATTENTION_STATES, colourOf, STATE_NAMES, StateBadge } from '../../parts/state-badge.js';
import { linkTo } from '../../state/route.js';
import { type Loaded } from '../../state/use-load.js';
import { StateActions } from '../repositories/state-actions.js';

type StateList = Schemas['RepositoryStateListDto'];
type State = Schemas['RepositoryStateDto'];

/** The repositories that need a person or time, each with its reason and what to do about it. */
export function Attention({ states }: { states: Loaded<StateList> }) {
  const { data } = states;
  if (data !== null && data.total === 0 && !data.is_scheduling_paused && !states.failure) {
    const { synced, running, queued, new: unsynced, paused } = data.counts;
    if (synced + running + queued + unsynced + paused === 0) return null;
    return <p class="notice notice-good">Nothing needs attention.</p>;
  }
  return (
    <Loadable of={states}>
      {({ items, total, is_scheduling_paused: isPaused }) => (
        <>
          {isPaused && (
            <p class="notice notice-bad" role="status">
              <strong>All scheduling is paused.</strong> No tick runs until <code>scheduling_paused</code> is
              false; syncs on request still run.
            </p>
          )}
          {total > 0 && (
            <Section title={titleOf(total)}>
              <ul class="attention">
                {items.map((item) => (
                  <Line key={item.repository_id} item={item} onDone={states.reload} />
                ))}
              </ul>
              {total > items.length && (
                <p>
                  <a href={linkTo('repositories', { state: ATTENTION_STATES.join() })}>
                    {`All ${formatNumber(total)} repositories that need attention`}
                  </a>
                </p>
              )}
            </Section>
          )}
        </>
      )}
    </Loadable>
  );
}

function titleOf(total: number): string {
  return total === 1 ? '1 repository needs attention' : `${formatNumber(total)} repositories need attention`;
}

function Line({ item, onDone }: { item: State; onDone: () => void }) {
  const { state, project_path, branch, reason, remedy, since } = item;
  return (
    <li class={`attention-${state}`}>
      <div class="row between">
        <div class="row">
          <StateBadge state={state} />
          <a href={linkTo(`repositories/${item.repository_id}`)}>
            <strong>{project_path}</strong> @ {branch}
          </a>
          {since !== null && (
            <span class="faint">
              since <Instant at={since} />
            </span>
          )}
        </div>
        <div class="row">
          {runOf(item) !== null && <a href={linkTo(`history/${runOf(item)}`)}>The run</a>}
          <StateActions state={item} onDone={onDone} />
        </div>
      </div>
      <p>
        {reason} {remedy !== null && <strong class="remedy">{remedy}</strong>} <NextTry state={item} />
      </p>
    </li>
  );
}

function NextTry({ state: { state, until, live_status } }: { state: State }) {
  if (live_status === 'running') return <span class="faint">A run is in progress.</span>;
  if (until === null) return null;
  const words = state === 'retrying' ? 'Next attempt' : state === 'waiting' ? 'Starts' : 'Next run';
  return (
    <span class="faint">
      {words} <Instant at={until} />.
    </span>
  );
}

/** The run that shows the cause. */
function runOf({ state, last_execution_id, live_execution_id }: State): string | null {
  return state === 'retrying' || state === 'waiting' ? live_execution_id : last_execution_id;
}

/** How many repositories are in each state, as links to them. */
export function StateTiles({ states: { data } }: { states: Loaded<StateList> }) {
  if (data === null) return null;
  const present = STATE_NAMES.filter((state) => data.counts[state] > 0);
  return (
    <Tiles
      label="Repositories by state"
      tiles={present.map((state) => [
        state,
        data.counts[state],
        '',
        { href: linkTo('repositories', { state }), colour: colourOf(state) },
      ])}
    />
  );
}
