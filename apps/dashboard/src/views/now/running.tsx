import { Section } from '../../parts/elements.js';
import { Empty, LoadableList } from '../../parts/loadable.js';
import { nameOf } from '../../parts/repository-field.js';
import { linkTo } from '../../state/route.js';
import { useApi } from '../../state/use-load.js';
import { RunningCard } from '../runs/running-card.js';

const POLL_MS = 5_000;
/** A browser opens at most six connections to a host; two remain for the rest of the page. */
const MAX_STREAMS = 4;
const SHOWN = 20;

export function Running() {
  const running = useApi('/api/v1/executions', { query: { status: ['running'], limit: SHOWN } }, POLL_MS);
  return (
    <Section title="Running">
      <LoadableList of={running} empty={<NoRunsInProgress />}>
        {(items) => (
          <ul class="cards">
            {items.map((execution, index) => (
              <RunningCard
                key={execution.id}
                execution={execution}
                name={nameOf(execution)}
                isStreamed={index < MAX_STREAMS}
                onChange={running.reload}
              />
            ))}
          </ul>
        )}
      </LoadableList>
    </Section>
  );
}

function NoRunsInProgress() {
  return (
    <Empty title="No runs in progress.">
      Runs start on schedule, on a push, or from <a href={linkTo('repositories')}>Repositories</a>.
    </Empty>
  );
}
