import { Tiles } from '../../parts/elements.js';
import { colourOf, STATE_NAMES } from '../../parts/state-badge.js';
import { linkTo } from '../../state/route.js';
import { type Loaded } from '../../state/use-load.js';
import { type StateList } from './attention.js';

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
