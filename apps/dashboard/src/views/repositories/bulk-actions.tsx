import { type ComponentChildren } from 'preact';
import { type Api } from '../../api/api.js';
import { type Schemas } from '../../api/schema.js';
import { ActionButton } from '../../parts/action-button.js';
import { failureOf } from '../../state/use-load.js';

type State = Schemas['RepositoryStateDto'];

/** Requests of one bulk action at a time. */
const AT_ONCE = 4;
/** Until the next request, when there were too many. */
const LIMITED_MS = 5_000;

interface BulkActionsProps {
  /** The chosen repositories. */
  items: readonly State[];
  onDone: () => void;
  /** Stands after the number of chosen ones. */
  children?: ComponentChildren;
}

/** Actions on all chosen repositories. One that is refused does not stop the others. */
export function BulkActions({ items, onDone, children }: BulkActionsProps) {
  if (items.length === 0) return null;
  const subject = items.length === 1 ? '1 repository' : `${items.length} repositories`;
  const common = { subject, role: 'operator', onDone } as const;
  const retryable = items.filter(({ last_status }) => last_status === 'failed' || last_status === 'partial');
  const each = (rows: readonly State[], act: (api: Api, row: State) => Promise<unknown>) => (api: Api) =>
    forEach(rows, (row) => act(api, row));
  const setActive = (action: 'pause' | 'resume') => async (api: Api, row: State) => {
    const { items: schedules } = await api.get('/api/v1/schedules', {
      query: { repository_id: row.repository_id, is_active: action === 'resume' ? false : true },
    });
    for (const { id } of schedules) await api.post(`/api/v1/schedules/{id}/${action}`, { path: { id } });
  };
  return (
    <div class="bulk" role="group" aria-label="Actions on the chosen repositories">
      <strong>{subject}</strong>
      {children}
      <ActionButton
        {...common}
        label="Sync"
        done="runs queued."
        act={each(items, (api, { repository_id: id }) =>
          api.post('/api/v1/repositories/{id}/sync', { path: { id }, body: {} }),
        )}
      />
      {retryable.length > 0 && (
        <ActionButton
          {...common}
          label={`Retry ${retryable.length} failed`}
          done="retries queued."
          act={each(retryable, (api, { last_execution_id: id }) =>
            api.post('/api/v1/executions/{id}/retry', { path: { id: id! } }),
          )}
        />
      )}
      <ActionButton
        {...common}
        label="Pause"
        confirmation={{
          title: `Pause all schedules of ${subject}?`,
          text: 'No tick runs until they are resumed. Runs in progress continue; syncs on request and pushes still run.',
          confirmLabel: 'Pause the schedules',
        }}
        done="schedules paused."
        act={each(items, setActive('pause'))}
      />
      <ActionButton
        {...common}
        label="Resume"
        done="schedules resumed."
        act={each(items, setActive('resume'))}
      />
    </div>
  );
}

/** Waits while the service limits the caller's requests. */
async function patiently(act: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await act();
      return;
    } catch (thrown) {
      if (failureOf(thrown).status !== 429) throw thrown;
      await new Promise((resolve) => setTimeout(resolve, LIMITED_MS));
    }
  }
}

/** @throws the first failure, with the number of rows that failed, after all rows were tried. */
async function forEach(rows: readonly State[], act: (row: State) => Promise<unknown>): Promise<void> {
  const waiting = [...rows];
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      await patiently(() => act(row)).catch((thrown: unknown) => failures.push(thrown));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const [first] = failures;
  if (first === undefined) return;
  const failure = failureOf(first);
  failure.message = `${failures.length} of ${rows.length} were refused. The first: ${failure.message}`;
  throw failure;
}
