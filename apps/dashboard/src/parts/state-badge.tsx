import { type Schemas } from '../api/schema.js';

export type StateName = Schemas['RepositoryStateName'];

/** Symbol, colour and meaning of each state, most urgent first. */
const STATES: Readonly<Record<StateName, readonly [symbol: string, colour: string, meaning: string]>> = {
  failing: ['✕', 'failed', 'the last sync failed'],
  retrying: ['↻', 'failed', 'the last attempt failed; the next one has a time'],
  drifting: ['≠', 'failed', 'the index differs from the tree, or was lost'],
  missing: ['?', 'partial', 'its discovery no longer finds it'],
  incomplete: ['◐', 'partial', 'the last sync ended partially'],
  stale: ['⚑', 'missed', 'a tick passed without a sync'],
  waiting: ['⧗', 'missed', 'its run waits for its start time'],
  running: ['◉', 'running', 'a run is in progress'],
  queued: ['○', 'running', 'a run waits for a worker'],
  new: ['＋', 'cancelled', 'it was never synced'],
  paused: ['‖', 'cancelled', 'all its schedules are paused'],
  synced: ['✓', 'completed', 'the last sync completed'],
};

export const STATE_NAMES = Object.keys(STATES) as StateName[];
/** What a person should look at, or wait for. */
export const ATTENTION_STATES = STATE_NAMES.slice(0, STATE_NAMES.indexOf('running'));

export function StateBadge({ state }: { state: StateName }) {
  const [symbol, colour, meaning] = STATES[state];
  return (
    <span class="badge" style={`--colour: var(--${colour})`} title={meaning}>
      <span aria-hidden="true">{symbol}</span> {state}
    </span>
  );
}

export const colourOf = (state: StateName): string => STATES[state][1];
